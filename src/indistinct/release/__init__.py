"""From a plan to what is handed out: applying it, transforming identifiers, accounts, the audit."""
