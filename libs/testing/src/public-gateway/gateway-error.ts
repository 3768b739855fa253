/** An error as the public gateway sends it. `reason` is a list when it is the broker's response. */
export interface GatewayErrorBody {
  readonly code: string;
  readonly reason: string | readonly string[];
  readonly additionalInformation: unknown;
}

export class GatewayRefusal extends Error {
  override readonly name = 'GatewayRefusal';
  readonly err: GatewayErrorBody;

  constructor(
    readonly status: number,
    code: string,
    reason: GatewayErrorBody['reason'],
  ) {
    super(`${status} ${code}`);
    this.err = { code, reason, additionalInformation: null };
  }
}

export const badRequest = (reason: string): GatewayRefusal => new GatewayRefusal(400, 'BAD_REQUEST', reason);

/** The broker's own validation. */
export const invalidPayload = (reason: string): GatewayRefusal =>
  new GatewayRefusal(400, 'DSB::INVALID_PAYLOAD', [reason]);

export const channelNotFound = (fqcn: string): GatewayRefusal =>
  new GatewayRefusal(404, 'DSB::CHANNEL_NOT_FOUND', [`channel ${fqcn} not found`, 'Not Found']);

export const topicNotFound = (topic: string): GatewayRefusal =>
  new GatewayRefusal(404, 'DSB::CHANNEL_NOT_FOUND', [`topic ${topic} not found`, 'Not Found']);

/** What the gateway does not recognise in a response of its broker. */
export const requestFailed = (reason: string): GatewayRefusal =>
  new GatewayRefusal(502, 'DSB::REQUEST_FAILED', `Could not make request to DSB Message Broker: ${reason}`);

export const channelUnauthorized = (): GatewayRefusal =>
  new GatewayRefusal(401, 'DSB::CHANNEL_UNAUTHORIZED', [
    'User is not authorized for the channel',
    'Unauthorized',
  ]);

export const notEnrolled = (): GatewayRefusal =>
  new GatewayRefusal(403, 'DSB::FORBIDDEN_RESOURCE', 'Must be enroled as a DSB user');
