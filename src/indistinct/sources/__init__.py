"""Reading and writing: files, dataframes of any engine, and the folder a release is put into."""
