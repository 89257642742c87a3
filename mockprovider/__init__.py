"""mockprovider: the test double for infrastructure-as-code providers."""
