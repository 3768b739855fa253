import { GatewayError, type GatewayClient } from '@ssb/bus';
import { isEnrolled, type GatewayAnswers } from './domain/bus-tasks.js';

/** Reads identity, enrolment and, once it is enrolled, the channels of a gateway (document 002). */
export async function readGateway(
  gateway: Pick<GatewayClient, 'identity' | 'enrolment' | 'channels'>,
): Promise<GatewayAnswers> {
  try {
    await gateway.identity();
  } catch (error) {
    if (error instanceof GatewayError && error.kind === 'NO_PRIVATE_KEY') return {};
    throw error;
  }
  const enrolment = await gateway.enrolment();
  return isEnrolled(enrolment) ? { enrolment, channels: await gateway.channels() } : { enrolment };
}
