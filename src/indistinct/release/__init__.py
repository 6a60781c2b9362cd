"""From a plan to what is handed out: applying it, changing values, accounts, the audit."""
