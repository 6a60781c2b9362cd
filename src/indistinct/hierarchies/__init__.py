"""How values generalize: trees over domains, and the builders that make them."""
