/** The versions of the session protocol that this side speaks, oldest and newest. */
export const PROTOCOL_VERSIONS = [1, 1] as const;

/** The four bytes that every message begins with. */
export const MESSAGE_MAGIC = "DLP1";

/** Bytes of the fixed start of a message: magic, length of the header, length of the payload. */
export const PREFIX_BYTES = 12;

/** Bytes that the JSON header of a message may have: 1 MiB. */
export const MAX_HEADER_BYTES = 1_048_576;

/** Bytes that may follow the header: 512 MiB. */
export const MAX_PAYLOAD_BYTES = 536_870_912;

/** Slots of shared memory that a worker may use. */
export const MAX_SLOTS = 64;

/** Levels of lists and mappings in a value. */
export const MAX_VALUE_LEVELS = 64;
