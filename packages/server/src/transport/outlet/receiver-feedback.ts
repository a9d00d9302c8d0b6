/** What a receiver reports about its video and its path, whatever the transport. */
export interface ReceiverFeedback {
  /** Whether it asks for a key frame. */
  readonly wantsKeyFrame: boolean;
  /** Bits a second that it believes the path carries; absent: it did not say. */
  readonly estimatedBitsPerSecond?: number;
  /** Greatest share of packets lost since its last report, 0 to 1; absent: it did not say. */
  readonly fractionLost?: number;
}
