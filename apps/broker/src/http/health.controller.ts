import { Controller, Get, Res } from '@nestjs/common';
import { BrokerHealth } from '../broker-health.js';
import { BusError } from '../bus-error.js';

interface Reply {
  status(code: number): Reply;
  send(body: unknown): unknown;
}

/** The health that the gateways of the bus ask for, besides the chassis' `/health/live` and `/health/ready`. */
@Controller('health')
export class BrokerHealthController {
  constructor(private readonly broker: BrokerHealth) {}

  /** 200 `{status: "ok"}`; 503 `{status: "error", err: BUS::UNHEALTHY}` with each engine part's status and message. */
  @Get()
  async health(@Res() reply: Reply): Promise<void> {
    const { status, checks } = await this.broker.report();
    if (status === 'ok') {
      reply.status(200).send({ status, checks });
      return;
    }
    const failing = Object.entries(checks).flatMap(([name, { message }]) =>
      message === undefined ? [] : [`${name}: ${message}`],
    );
    const error = new BusError('BUS::UNHEALTHY', 'The broker runs with issues.', {
      status,
      message: failing.join('; '),
    });
    reply.status(503).send({ status, checks, ...error.body() });
  }
}
