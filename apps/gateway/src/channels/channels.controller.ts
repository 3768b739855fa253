import { Controller, Get } from '@nestjs/common';
import type { Channel } from '@ssb/bus';
import { Gateway } from '../messages/message-sender.js';

/** Document 002, `/api/v1/channels`. */
@Controller('api/v1/channels')
export class ChannelsController {
  constructor(private readonly gateway: Gateway) {}

  @Get()
  channels(): Promise<Channel[]> {
    return this.gateway.channels();
  }
}
