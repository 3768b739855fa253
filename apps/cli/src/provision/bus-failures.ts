import { GatewayError, GatewayUnreachableError, InvalidGatewayResponseError } from '@ssb/bus';
import {
  BrokerAdminError,
  BrokerUnreachableError,
  EnrolmentError,
  InvalidBrokerResponseError,
} from '@ssb/bus/provisioning';
import { toPrintable } from '@ssb/net/printable';
import { CommandError, EXIT } from '../exit.js';

const MAX_CELL_LENGTH = 2_000;

/** Responses of the bus are untrusted text. */
export const cell = (text: string): string => toPrintable(text, MAX_CELL_LENGTH);

/** The reason of an error of gateways or broker; undefined for any other error. */
export function describeBusFailure(error: unknown): string | undefined {
  const isOfBus =
    error instanceof GatewayError ||
    error instanceof GatewayUnreachableError ||
    error instanceof InvalidGatewayResponseError ||
    error instanceof BrokerAdminError ||
    error instanceof BrokerUnreachableError ||
    error instanceof InvalidBrokerResponseError ||
    error instanceof EnrolmentError;
  return isOfBus ? cell(error.message) : undefined;
}

/** Runs the work. @throws CommandError for an error of gateways or broker */
export async function explainBus(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const reason = describeBusFailure(error);
    if (reason === undefined) throw error;
    const isUnreachable = error instanceof GatewayUnreachableError || error instanceof BrokerUnreachableError;
    throw new CommandError(
      `The bus is not provisioned: ${reason}. Check addresses, users and rights, then repeat the command.`,
      isUnreachable ? EXIT.unreachable : EXIT.findings,
    );
  }
}
