import { setTimeout as delay } from 'node:timers/promises';
import { GatewayError } from '../client/gateway-errors.js';
import { type GatewayClient } from '../client/gateway-client.js';
import { generatePrivateKey } from '@ssb/identity';
import type { BrokerAdmin } from './broker-admin.js';
import { isEnrolled, type GatewayResponses } from './domain/bus-tasks.js';

/** A gateway did not become a user of the bus in time. */
export class EnrolmentError extends Error {
  override readonly name = 'EnrolmentError';
}

const ENROLMENT_TIMEOUT_MS = 15_000;
const ENROLMENT_POLL_MS = 50;

/**
 * Gives a gateway an identity if it has none, enrols it, approves its role, and waits until it is ready.
 * @returns the DID of the gateway
 * @throws EnrolmentError when it is not ready in time
 */
export async function enrolGateway(
  gateway: Pick<GatewayClient, 'identity' | 'setIdentity' | 'enrol' | 'enrolment'>,
  admin: Pick<BrokerAdmin, 'approve'>,
): Promise<string> {
  await ensureIdentity(gateway);
  let enrolment = await gateway.enrolment();
  if (enrolment.state.ready) return enrolment.did;
  enrolment = await gateway.enrol();
  if (!enrolment.state.ready) await admin.approve(enrolment.did);
  const deadline = Date.now() + ENROLMENT_TIMEOUT_MS;
  while (!enrolment.state.ready) {
    if (Date.now() > deadline)
      throw new EnrolmentError(
        `${enrolment.did} was not ready ${ENROLMENT_TIMEOUT_MS / 1000} s after its approval`,
      );
    await delay(ENROLMENT_POLL_MS);
    enrolment = await gateway.enrolment();
  }
  return enrolment.did;
}

/** Sets a new key if the gateway has none. */
export async function ensureIdentity(
  gateway: Pick<GatewayClient, 'identity' | 'setIdentity'>,
): Promise<void> {
  try {
    await gateway.identity();
  } catch (error) {
    if (!(error instanceof GatewayError) || error.kind !== 'NO_PRIVATE_KEY') throw error;
    await gateway.setIdentity(generatePrivateKey().toHex());
  }
}

/** Reads identity, enrolment and, once it is enrolled, the channels of a gateway (document 002). */
export async function readGateway(
  gateway: Pick<GatewayClient, 'identity' | 'enrolment' | 'channels'>,
): Promise<GatewayResponses> {
  try {
    await gateway.identity();
  } catch (error) {
    if (error instanceof GatewayError && error.kind === 'NO_PRIVATE_KEY') return {};
    throw error;
  }
  const enrolment = await gateway.enrolment();
  return isEnrolled(enrolment) ? { enrolment, channels: await gateway.channels() } : { enrolment };
}
