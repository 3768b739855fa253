import { Controller, Get, Headers, Res } from '@nestjs/common';
import { escapeLines } from '@ssb/net';
import type { FastifyReply } from 'fastify';
import { withoutCredentials } from '../logging/log-fields.js';
import { ManagementAccess } from '../management/management-access.js';
import { VERSION } from '../version.js';
import { listCertificates, type CertificateReport } from './certificates.js';
import { Degradations, type Degradation } from './degradations.js';
import { Liveness, type LivenessReport } from './liveness.js';
import { Metrics } from './metrics.js';
import { Readiness, type ReadinessReport } from './readiness.js';

/** `degraded`: ready, with faults that an operator should know. */
interface HealthReport {
  readonly status: 'ok' | 'degraded' | 'error';
  readonly version: string;
  readonly checks: ReadinessReport['checks'];
  readonly faults: readonly Degradation[];
  readonly certificates: readonly CertificateReport[];
}

/** Liveness, readiness, report and metrics, at the same paths in every app. */
@Controller()
export class HealthController {
  constructor(
    private readonly readiness: Readiness,
    private readonly liveness: Liveness,
    private readonly degradations: Degradations,
    private readonly metrics: Metrics,
    private readonly access: ManagementAccess,
  ) {}

  /** 200 as long as the process serves requests and makes progress, else 503: a restart helps. */
  @Get('health/live')
  async live(
    @Res() reply: FastifyReply,
    @Headers('authorization') authorization: string | undefined,
  ): Promise<void> {
    await this.sendChecks(this.liveness.report(), authorization, reply);
  }

  /** 200 when every registered check is up, else 503. The kubelet has no token and needs only the status. */
  @Get('health/ready')
  async ready(
    @Res() reply: FastifyReply,
    @Headers('authorization') authorization: string | undefined,
  ): Promise<void> {
    await this.sendChecks(await this.readiness.report(), authorization, reply);
  }

  /** The state of the app for people, with the reason of each fault; 200 unless the app is not ready. */
  @Get('health')
  async health(
    @Res() reply: FastifyReply,
    @Headers('authorization') authorization: string | undefined,
  ): Promise<void> {
    this.access.require(authorization, reply);
    const { status: readiness, checks } = await this.readiness.report();
    const faults = this.degradations
      .list()
      .map((fault) => ({ ...fault, detail: withoutCredentials(fault.detail) }));
    const status = readiness === 'ok' && faults.length > 0 ? 'degraded' : readiness;
    const certificates = await listCertificates(this.metrics);
    const report: HealthReport = { status, version: VERSION, checks, faults, certificates };
    await this.sendReport(report, status === 'error' ? 503 : 200, reply);
  }

  /** Prometheus text format. */
  @Get('metrics')
  async scrape(
    @Res() reply: FastifyReply,
    @Headers('authorization') authorization: string | undefined,
  ): Promise<void> {
    this.access.require(authorization, reply);
    await reply
      .header('content-type', this.metrics.registry.contentType)
      .send(await this.metrics.registry.metrics());
  }

  private async sendChecks(
    { status, checks }: ReadinessReport | LivenessReport,
    authorization: string | undefined,
    reply: FastifyReply,
  ): Promise<void> {
    const body = this.access.isAllowed(authorization) ? { status, checks } : { status };
    await this.sendReport(body, status === 'ok' ? 200 : 503, reply);
  }

  /** Runbooks print reports on a terminal with curl, and reasons hold what servers have sent. */
  private async sendReport(report: object, status: number, reply: FastifyReply): Promise<void> {
    const json = escapeLines(JSON.stringify(report));
    await reply.status(status).type('application/json; charset=utf-8').send(json);
  }
}
