/** A process that ends by itself first frees its whole heap; for a worker of jest that takes longer than the half second after which jest kills it as one that leaks. */
process.once('beforeExit', () => process.exit());
