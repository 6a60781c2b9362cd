"""What custodians and readers are told of a release beside its figures."""
