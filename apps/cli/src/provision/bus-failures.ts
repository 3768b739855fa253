import { GatewayError, GatewayUnreachableError, InvalidGatewayResponseError } from '@ssb/bus';
import {
  BrokerAdminError,
  BrokerUnreachableError,
  EnrolmentError,
  InvalidBrokerResponseError,
} from '@ssb/bus/provisioning';
import { toPrintable } from '@ssb/net';
import { fail } from '../fail.js';

const MAX_CELL_LENGTH = 2_000;

/** Responses of the bus are untrusted text. */
export const cell = (text: string): string => toPrintable(text, MAX_CELL_LENGTH);

/** @throws any other error */
export function failForBus(error: unknown): void {
  const isOfBus =
    error instanceof GatewayError ||
    error instanceof GatewayUnreachableError ||
    error instanceof InvalidGatewayResponseError ||
    error instanceof BrokerAdminError ||
    error instanceof BrokerUnreachableError ||
    error instanceof InvalidBrokerResponseError ||
    error instanceof EnrolmentError;
  if (!isOfBus) throw error;
  fail(
    `The bus is not provisioned: ${cell(error.message)}. Check addresses, users and rights, then repeat the command.`,
  );
}
