import type { ErrorDetail } from '@ssb/bus';

/** Why a client is let go that does not take what it asked for. */
export const TOO_SLOW: ErrorDetail = {
  code: 'BUS::TOO_SLOW',
  reason: 'The client does not read fast enough, and others would have to wait for it.',
};

/** Why one is let go that has more waiting for the broker than any other, while all together have too much. */
export const TOO_MUCH: ErrorDetail = {
  code: 'BUS::TOO_SLOW',
  reason: 'More is sent than the broker takes, and most of it by this client; what waits is not sent.',
};
