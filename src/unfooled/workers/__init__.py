"""Who computes the records of a trial besides this process: processes of this machine, actors of a Ray cluster."""
