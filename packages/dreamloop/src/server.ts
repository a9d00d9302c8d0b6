/** The server of live worlds: the public interface of `@dreamloop/server`. */
export * from "@dreamloop/server";
