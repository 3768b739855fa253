import { Controller, Get, Headers, Inject, Res } from '@nestjs/common';
import type { Database } from '@ssb/postgres';
import { ManagementAccess, ProblemException } from '@ssb/platform';
import { DATABASE } from '../database/database-options.js';
import type { ReceivedHeartbeat } from './domain/heartbeat.js';
import { listHeartbeats } from './heartbeat-table.js';

/** The part of Fastify's reply that is used. */
interface Reply {
  header(name: string, value: string): unknown;
}

interface HeartbeatsResponse {
  /** Null before the first one. */
  readonly newest: Date | null;
  readonly heartbeats: readonly Pick<ReceivedHeartbeat, 'participant' | 'channel' | 'at' | 'receivedAt'>[];
}

/** The newest verified heartbeats, which all replicas share. The poller requests them to notice that the subscriber is silent. */
@Controller()
export class HeartbeatsController {
  constructor(
    @Inject(DATABASE) private readonly database: Database,
    private readonly access: ManagementAccess,
  ) {}

  @Get('heartbeats')
  async list(
    @Res({ passthrough: true }) reply: Reply,
    @Headers('authorization') authorization: string | undefined,
  ): Promise<HeartbeatsResponse> {
    this.access.require(authorization, reply);
    const heartbeats = await listHeartbeats(this.database).catch((cause: unknown) => {
      const problem = new ProblemException(503, 'Service unavailable', 'The database cannot be read.');
      problem.cause = cause;
      throw problem;
    });
    const newest = Math.max(...heartbeats.map(({ at }) => at.getTime()));
    return {
      newest: Number.isFinite(newest) ? new Date(newest) : null,
      heartbeats: heartbeats.map(({ participant, channel, at, receivedAt }) => ({
        participant,
        channel,
        at,
        receivedAt,
      })),
    };
  }
}
