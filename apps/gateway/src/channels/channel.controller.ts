import { Controller, Get } from '@nestjs/common';
import type { Channel } from '@ssb/bus';
import { BrokerClient } from '../broker/broker-client.js';
import { toGatewayException } from '../broker/broker-error.js';
import { IdentityService } from '../identity/identity.service.js';

/** Document 002, `/api/v1/channels`: the channels on which the identity has publisher or subscriber rights. */
@Controller('api/v1/channels')
export class ChannelController {
  constructor(
    private readonly identities: IdentityService,
    private readonly broker: BrokerClient,
  ) {}

  @Get()
  async listChannels(): Promise<Channel[]> {
    try {
      return await this.broker.listChannels(this.identities.require());
    } catch (error) {
      throw toGatewayException(error, 'channels');
    }
  }
}
