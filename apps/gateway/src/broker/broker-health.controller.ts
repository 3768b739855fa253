import { Controller, Get } from '@nestjs/common';
import { Readiness } from '@ssb/platform';
import { BrokerClient } from './broker-client.js';
import { toGatewayException, toUnhealthyException } from './broker-error.js';

/** Document 002, `/api/health`: 200 without a body while the broker is reachable and healthy. Needs no authentication. */
@Controller('api/health')
export class BrokerHealthController {
  constructor(
    private readonly broker: BrokerClient,
    readiness: Readiness,
  ) {
    readiness.register('broker', () => this.check());
  }

  @Get()
  async check(): Promise<void> {
    try {
      const health = await this.broker.getHealth();
      if (health.status === 'error') throw toUnhealthyException(health);
    } catch (error) {
      throw toGatewayException(error, 'health');
    }
  }
}
