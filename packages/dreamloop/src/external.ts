/** Worlds in Python and other processes: the public interface of `@dreamloop/external`. */
export * from "@dreamloop/external";
