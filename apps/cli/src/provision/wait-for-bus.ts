import { decideRetry } from '@ssb/bus';
import { BrokerAdminError, BrokerUnreachableError } from '@ssb/bus/provisioning';
import { retry, toPrintable } from '@ssb/net';

const RETRY_DELAY_MS = 1_000;
/** Responses of the bus are untrusted text. */
const MAX_LINE_LENGTH = 500;

/** Repeats the work while a server does not respond or is starting. The work must be idempotent. */
export type WaitForBus = <T>(name: string, work: () => Promise<T>) => Promise<T>;

/** @param onWait called when the reason to wait changes */
export function waitForBus(deadline: number, onWait: (line: string) => void): WaitForBus {
  return (name, work) => {
    let last = '';
    return retry(work, {
      delayMs: (error) => {
        if (!isTransient(error) || Date.now() + RETRY_DELAY_MS > deadline) return undefined;
        const reason = (error as Error).message;
        if (reason !== last) onWait(toPrintable(`waiting for the ${name}: ${reason}`, MAX_LINE_LENGTH));
        last = reason;
        return RETRY_DELAY_MS;
      },
    });
  };
}

/** Whether a retry may succeed. */
export function isTransient(error: unknown): boolean {
  if (error instanceof BrokerAdminError) return error.status >= 500 || error.status === 429;
  return error instanceof BrokerUnreachableError || decideRetry(error) !== 'never';
}
