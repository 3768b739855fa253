import { Controller, Get, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { withoutCredentials } from '../logging/log-fields.js';
import { Degradations, type Degradation } from './degradations.js';
import { Metrics } from './metrics.js';
import { Readiness, type ReadinessReport } from './readiness.js';

/** `degraded`: ready, with faults that an operator should know. */
interface HealthReport {
  readonly status: 'ok' | 'degraded' | 'error';
  readonly checks: ReadinessReport['checks'];
  readonly faults: readonly Degradation[];
}

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

/** The report for people. The broker has an operation of its own at this path. */
@Controller()
export class HealthReportController {
  constructor(
    private readonly readiness: Readiness,
    private readonly degradations: Degradations,
  ) {}

  /** The state of the app for people, with the reason of each fault; 200 unless the app is not ready. */
  @Get('health')
  async health(@Res() reply: FastifyReply): Promise<void> {
    const { status: readiness, checks } = await this.readiness.report();
    const faults = this.degradations
      .list()
      .map((fault) => ({ ...fault, detail: withoutCredentials(fault.detail) }));
    const status = readiness === 'ok' && faults.length > 0 ? 'degraded' : readiness;
    const report: HealthReport = { status, checks, faults };
    await reply.status(status === 'error' ? 503 : 200).send(report);
  }
}
