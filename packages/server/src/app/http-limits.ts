/** How long a client may take, in milliseconds, for the server of Node. */
export const HTTP_LIMITS = {
  /** To send its headers. */
  headersTimeout: 10_000,
  /** To send the whole of a request. */
  requestTimeout: 30_000,
  /** How often that is looked at; Node's own 30 s would let a slow client stay twice as long. */
  connectionsCheckingInterval: 2_000,
} as const;
