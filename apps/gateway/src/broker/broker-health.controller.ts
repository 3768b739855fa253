import { Controller, Get } from '@nestjs/common';
import { Readiness } from '@ssb/platform';
import { Gateway } from '../messages/message-sender.js';

/** Document 002, `/api/health`: 200 without a body when the broker is reachable and well. Needs no authentication. */
@Controller('api/health')
export class BrokerHealthController {
  constructor(
    private readonly gateway: Gateway,
    readiness: Readiness,
  ) {
    readiness.register('broker', () => gateway.health());
  }

  @Get()
  health(): Promise<void> {
    return this.gateway.health();
  }
}
