package pgstore_test

const roleVariable = "PITH_PGSTORE_TEST_ROLE"

func playRole(string) {}
