import type { ErrorDetail } from '@ssb/bus';

/** Why a client is let go that does not take what it asked for. */
export const TOO_SLOW: ErrorDetail = {
  code: 'BUS::TOO_SLOW',
  reason: 'The client does not read fast enough, and others would have to wait for it.',
};
