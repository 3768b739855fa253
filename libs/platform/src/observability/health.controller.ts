import { Controller, Get, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Metrics } from './metrics.js';
import { Readiness } from './readiness.js';

/** Liveness, readiness and metrics, at the same paths in every app. */
@Controller()
export class HealthController {
  constructor(
    private readonly readiness: Readiness,
    private readonly metrics: Metrics,
  ) {}

  /** 200 as long as the process serves requests. */
  @Get('health/live')
  live(): { status: 'ok' } {
    return { status: 'ok' };
  }

  /** 200 when every registered check is up, else 503. The body lists each check. */
  @Get('health/ready')
  async ready(@Res() reply: FastifyReply): Promise<void> {
    const report = await this.readiness.report();
    await reply.status(report.status === 'ok' ? 200 : 503).send(report);
  }

  /** Prometheus text format. */
  @Get('metrics')
  async scrape(@Res() reply: FastifyReply): Promise<void> {
    await reply
      .header('content-type', this.metrics.registry.contentType)
      .send(await this.metrics.registry.metrics());
  }
}
