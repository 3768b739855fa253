import { GatewayAnswerError, GatewayError, GatewayUnreachableError } from '@ssb/bus';
import type { SendFailure } from './domain/retry-policy.js';

/** Puts an error of the gateway client in the terms of the retry policy; undefined when it is not the gateway's doing. */
export function sendFailureOf(error: unknown): SendFailure | undefined {
  if (error instanceof GatewayUnreachableError) return { cause: 'unreachable', detail: error.message };
  if (error instanceof GatewayAnswerError)
    return { cause: 'foreign-answer', status: error.status, detail: error.message };
  if (!(error instanceof GatewayError)) return undefined;
  // The broker's words reach us as the reason or, wrapped by a gateway, inside the additional information.
  const wrapped =
    error.additionalInformation === undefined ? '' : ` ${JSON.stringify(error.additionalInformation)}`;
  return {
    cause: 'refused',
    status: error.status,
    kind: error.kind,
    detail: `${error.code}: ${error.reason}${wrapped}`.slice(0, 2_000),
  };
}
