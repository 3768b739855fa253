import { describeHttpAddress, isHttpAddress } from '@ssb/net';
import { z } from 'zod';
import { duration, text } from '../schema-values.js';

const MAX_ATTEMPTS_PER_MINUTE = 6_000;

export const path = z.string().min(1);
export const line = z.string().min(1).max(1_000);

/**
 * An address with TLS, or of loopback.
 * @param credentials whether it may hold a user and a password
 * @param query whether it may have a query. A path is added to an address without.
 */
export const address = (credentials: boolean, query = true) => {
  const options = { query, credentials, tls: true };
  return text({
    form: { test: (value) => isHttpAddress(value, options) },
    must: `must be ${describeHttpAddress(options)}`,
  });
};

/** The name of the sink of OPERATIONS_WEBHOOK_URL, which the configuration does not have. */
export const OPERATIONS_SINK = 'OPERATIONS_WEBHOOK_URL';

export const sinkName = z
  .string()
  .min(1)
  .refine(
    (name) => name !== OPERATIONS_SINK,
    `must not be ${OPERATIONS_SINK}, the name of the receiver of that setting; choose another name`,
  );

/** Settings that every sink with a receiver has. */
export const receiverShape = {
  name: sinkName,
  /** Maximum duration of one attempt. Default: ALERT_TIMEOUT_MS. */
  timeout: duration('1s', '5m').optional(),
  /** Attempts in a minute, evenly spaced. What exceeds it waits. Default: no limit. */
  maxPerMinute: z.int().min(1).max(MAX_ATTEMPTS_PER_MINUTE).optional(),
};

/** Whether an address holds a user or a password. */
export function hasCredentials(text: string): boolean {
  return URL.canParse(text) && new URL(text).username + new URL(text).password !== '';
}
