/** Worker host, process clock, trace files and world discovery: the public interface of `@dreamloop/node`. */
export * from "@dreamloop/node";
