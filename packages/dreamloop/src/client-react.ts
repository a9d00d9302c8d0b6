/** Live worlds in a React page: the public interface of `@dreamloop/client/react`. Runs in browsers and needs the package `react`. */
export * from "@dreamloop/client/react";
