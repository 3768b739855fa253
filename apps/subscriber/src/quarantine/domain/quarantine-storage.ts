/** Enough of a quarantined payload to recognise it, without filling the disk. */
export const MAX_SHORTENED_PAYLOAD_BYTES = 65_536;

export interface QuarantinedPayload {
  readonly bytes: number;
  /** A later evaluation may accept the message, but only if the payload is stored whole. */
  readonly reevaluable: boolean;
  /** A trusted gateway or bridge signed the message. */
  readonly trusted: boolean;
}

/** Payload bytes of the open messages in the quarantine. */
export interface QuarantineUse {
  readonly trustedBytes: number;
  readonly untrustedBytes: number;
}

/** Unknown senders may use this share of the limit, so that they cannot take the place of genuine messages. */
const UNTRUSTED_SHARE = 0.5;
/** The quarantine is no longer full below this share of a limit. */
const ROOM_SHARE = 0.9;

/**
 * Decides how much of each payload is stored: all of it, or its beginning when no evaluation can accept it. Nothing of it is stored when that
 * exceeds a limit.
 * @returns bytes to store, in the same order; `isFull` when a limit left a payload out
 */
export function planStoredBytes(
  payloads: readonly QuarantinedPayload[],
  use: QuarantineUse,
  maxBytes: number,
): { readonly stored: readonly number[]; readonly isFull: boolean } {
  let { trustedBytes, untrustedBytes } = use;
  let isFull = false;
  const stored = payloads.map(({ bytes, reevaluable, trusted }) => {
    const wanted = reevaluable ? bytes : Math.min(bytes, MAX_SHORTENED_PAYLOAD_BYTES);
    const fits =
      trustedBytes + untrustedBytes + wanted <= maxBytes &&
      (trusted || untrustedBytes + wanted <= maxBytes * UNTRUSTED_SHARE);
    if (!fits) {
      isFull = true;
      return 0;
    }
    if (trusted) trustedBytes += wanted;
    else untrustedBytes += wanted;
    return wanted;
  });
  return { stored, isFull };
}

/** Whether both limits have room again. The distance to the limits keeps the alert from being raised and cleared in turn. */
export function hasRoom({ trustedBytes, untrustedBytes }: QuarantineUse, maxBytes: number): boolean {
  return (
    trustedBytes + untrustedBytes < maxBytes * ROOM_SHARE &&
    untrustedBytes < maxBytes * UNTRUSTED_SHARE * ROOM_SHARE
  );
}
