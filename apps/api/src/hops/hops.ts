import { Inject, Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { clientTlsFiles, OutgoingConnections, ProblemException, SETTINGS } from '@ssb/platform';
import type { z } from 'zod';
import type { Settings } from '../settings.js';
import { ManagementClient, type HopFailure, type HopRequest, type HopResult } from './management-client.js';

export const HOP_APPS = ['poller', 'bus-publisher', 'gateway', 'subscriber'] as const;
export type HopApp = (typeof HOP_APPS)[number];

/** The setting of the management addresses of each app. */
export const ADDRESS_SETTINGS = {
  poller: 'POLLER_URLS',
  'bus-publisher': 'PUBLISHER_URLS',
  gateway: 'GATEWAY_URLS',
  subscriber: 'SUBSCRIBER_URLS',
} as const satisfies Record<HopApp, keyof Settings>;

/** The management port of one process. */
export interface Hop {
  readonly app: HopApp;
  /** `poller`, or `poller 2` of several. Its address is not shown. */
  readonly name: string;
  request<T extends z.ZodType>(schema: T, request: HopRequest): Promise<HopResult<z.output<T>>>;
}

/** The other apps of the bridge, at the management addresses of the settings. */
@Injectable()
export class Hops implements OnModuleInit, OnApplicationShutdown {
  private readonly hops: (Hop & { close(): Promise<void> })[] = [];

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly connections: OutgoingConnections,
  ) {}

  /** @throws UnusableTlsFilesError, ConfigurationError */
  async onModuleInit(): Promise<void> {
    const { HOPS_TOKEN_FILE: tokenFile, HOPS_OPERATE_TOKEN_FILE: operateTokenFile } = this.settings;
    const connection = await this.connections.open('hops', clientTlsFiles(this.settings, 'HOPS'));
    for (const app of HOP_APPS) {
      const urls = this.settings[ADDRESS_SETTINGS[app]] ?? [];
      urls.forEach((url, index) => {
        const client = new ManagementClient({ url, connection, tokenFile, operateTokenFile });
        this.hops.push({
          app,
          name: urls.length === 1 ? app : `${app} ${index + 1}`,
          request: (schema, request) => client.request(schema, request),
          close: () => client.close(),
        });
      });
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.hops.map((hop) => hop.close()));
  }

  /** Empty when the setting of the app is unset. */
  of(app: HopApp): readonly Hop[] {
    return this.hops.filter((hop) => hop.app === app);
  }

  /**
   * Reads what a process of an app knows. The next one gets the request when one does not respond, or does not have it.
   * @throws ProblemException 502 or 503, and 4xx that the app responded
   */
  async read<T extends z.ZodType>(app: HopApp, schema: T, request: HopRequest): Promise<z.output<T>> {
    let unreached: HopFailure | undefined;
    let refused: HopFailure | undefined;
    for (const hop of this.of(app)) {
      const result = await hop.request(schema, request);
      if (result.outcome === 'done') return result.value;
      if (result.outcome !== 'refused') unreached = result;
      else if (!result.isForAnother) throw toProblem(app, result, 'Try again later.');
      else if (result.isForCaller) refused = result;
      else unreached = result;
    }
    // A process that was not reached, or is of an earlier release, may be the one that has it.
    throw toProblem(app, unreached ?? refused ?? this.notConfigured(app), 'Try again later.');
  }

  /**
   * Reads what each process of an app knows, such as pollers that each have their own PARTICIPANT.
   * @throws ProblemException when one of them does not send it, because the rest would not be complete
   */
  async readEach<T extends z.ZodType>(app: HopApp, schema: T, request: HopRequest): Promise<z.output<T>[]> {
    const { values, failure } = await this.readThose(app, schema, request);
    if (failure !== undefined) throw failure;
    return values;
  }

  /**
   * The same, of those that send it.
   * @returns `failure` when one of them does not send it, and the rest may not be complete
   */
  async readThose<T extends z.ZodType>(
    app: HopApp,
    schema: T,
    request: HopRequest,
  ): Promise<{ readonly values: z.output<T>[]; readonly failure: ProblemException | undefined }> {
    const hops = this.of(app);
    if (hops.length === 0)
      return { values: [], failure: toProblem(app, this.notConfigured(app), 'Try again later.') };
    const results = await Promise.all(
      hops.map(async (hop) => ({ name: hop.name, result: await hop.request(schema, request) })),
    );
    const values: z.output<T>[] = [];
    let failure: ProblemException | undefined;
    for (const { name, result } of results)
      if (result.outcome === 'done') values.push(result.value);
      else failure ??= toProblem(name, result, 'Try again later.');
    return { values, failure };
  }

  /** Sends an action to one process. The next one gets it only when the one before has certainly not carried it out. */
  async act<T extends z.ZodType>(
    app: HopApp,
    schema: T,
    request: HopRequest,
  ): Promise<HopResult<z.output<T>>> {
    let unreached: HopFailure | undefined;
    let refused: HopFailure | undefined;
    for (const hop of this.of(app)) {
      const result = await hop.request(schema, { body: {}, ...request, right: 'operate' });
      if (result.outcome === 'failed') unreached = result;
      else if (result.outcome === 'refused' && result.isForAnother) refused = result;
      else return result;
    }
    // A process that was not reached may be the one that has it.
    return unreached ?? refused ?? this.notConfigured(app);
  }

  private notConfigured(app: HopApp): HopFailure {
    return { outcome: 'failed', detail: `is unknown to the API: set ${ADDRESS_SETTINGS[app]}` };
  }
}

/**
 * The response to a caller whose request another app has not carried out, or perhaps has.
 * @param app its name, or that of one process
 */
export function toProblem(app: string, result: HopFailure, next: string): ProblemException {
  const { outcome, detail } = result;
  const status = 'status' in result ? result.status : undefined;
  if (outcome === 'refused' && result.isForCaller)
    return new ProblemException(result.status, TITLES[result.status] ?? 'Refused', detail);
  const sentence = `The ${app} ${detail.replace(/\.$/, '')}. ${next}`;
  return status === undefined
    ? new ProblemException(503, 'Service unavailable', sentence)
    : new ProblemException(502, 'Bad gateway', sentence);
}

const TITLES: Readonly<Record<number, string>> = {
  404: 'Not found',
  409: 'Conflict',
  422: 'Unprocessable content',
};
