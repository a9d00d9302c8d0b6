/** Live worlds in a web page: the public interface of `@dreamloop/client`. Runs in browsers. */
export * from "@dreamloop/client";
