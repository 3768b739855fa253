import type { Server } from 'node:http';
import type { ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import { Module, type DynamicModule, type INestApplicationContext } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Logger } from '../logging/logger.js';
import { FailureFilter, type AnswerFailure, type FailureReply } from '../http/answer-failure.js';
import { problemAnswers } from '../http/problem-answers.js';
import { RequestValidationPipe, type UnknownFields } from '../http/request-validation.pipe.js';
import { answerUnreadable } from '../http/unreadable-request.js';
import { NestLogger } from '../logging/nest-logger.js';
import { Metrics } from '../observability/metrics.js';
import { Readiness } from '../observability/readiness.js';
import { PlatformModule, type PlatformParts } from '../platform.module.js';
import type { commonSettings } from '../settings/common.js';
import type { SettingsDefinition, SettingsOf } from '../settings/define.js';
import { closeConnectionsInTheEnd } from './close-connections.js';

export type AppSettings = SettingsDefinition & typeof commonSettings;

export interface Listener {
  readonly port: number;
  /** Address to listen on, where it is another than HOST. */
  readonly host?: string;
  /** TLS for this port; plain HTTP when omitted. */
  readonly https?: ServerOptions;
  /** Largest request body, bytes. Default 1 MiB. */
  readonly bodyLimit?: number;
  /** Most connections at once; those beyond are closed. No limit but the system's when omitted. */
  readonly mostConnections?: number;
}

/** A second server of the same process, with its own port; it shares settings, logger and metrics, not controllers. */
export interface Companion {
  readonly module: DynamicModule;
  readonly http: Listener;
}

export interface AppOptions<D extends AppSettings> {
  readonly name: string;
  readonly definition: D;
  readonly module: (settings: SettingsOf<D>) => DynamicModule | Promise<DynamicModule>;
  readonly http: (settings: SettingsOf<D>) => Listener | Promise<Listener>;
  /** The form of error answers, of what is no readable request as well; problem+json when omitted. */
  readonly failures?: (log: Logger, metrics: Metrics) => AnswerFailure;
  /**
   * Set by an app whose handlers take bodies or queries as DTO classes: what happens to a field that the class does not declare. Others do
   * not load class-validator, which takes 0.1 s of the start.
   */
  readonly unknownFields?: UnknownFields;
  /** Called once the main module is built, so that a companion can take instances out of it. */
  readonly companions?: (
    settings: SettingsOf<D>,
    main: INestApplicationContext,
  ) => Companion[] | Promise<Companion[]>;
}

export interface BuiltApp {
  /** The main Nest application. */
  readonly nest: NestFastifyApplication;
  /** Opens every port, the main one last (it carries the health addresses), and returns their addresses, main first. */
  listen(): Promise<string[]>;
  /** Graceful: stops intake, drains, closes; companions first. Harmless when repeated. */
  close(): Promise<void>;
}

const DEFAULT_BODY_LIMIT = 1_048_576;

/** Node's own limit of two minutes would hold up the end of a server for a client that has vanished. */
const HANDSHAKE_TIMEOUT_MS = 10_000;

/** Characters of a name in an address: as many as the longest that the bus has (channels, DIDs). Fastify's own limit is 100. */
const LONGEST_PARAMETER = 255;

@Module({})
class Root {}

/** Builds an app without touching the process (signals, exit), so that tests can run the real thing. */
export async function buildApp<D extends AppSettings>(
  options: AppOptions<D>,
  settings: SettingsOf<D>,
  log: Logger,
): Promise<BuiltApp> {
  const parts: PlatformParts = { settings, log, metrics: new Metrics(), readiness: new Readiness() };
  const mainListener = await options.http(settings);
  const answer = (options.failures ?? problemAnswers)(log, parts.metrics);
  const shared: Shared = { parts, answer, unknownFields: options.unknownFields };
  const nest = await createServer(await options.module(settings), mainListener, shared, true);
  const opened: { server: NestFastifyApplication; listener: Listener }[] = [
    { server: nest, listener: mainListener },
  ];
  try {
    for (const companion of (await options.companions?.(settings, nest)) ?? []) {
      const server = await createServer(companion.module, companion.http, shared, false);
      opened.unshift({ server, listener: companion.http });
    }
  } catch (error) {
    await nest.close();
    throw error;
  }
  let closing: Promise<void> | undefined;
  return {
    nest,
    listen: async () => {
      const urls: string[] = [];
      for (const { server, listener } of opened) {
        const host = listener.host ?? settings.HOST;
        await server.listen(listener.port, host);
        const { port } = server.getHttpServer().address() as AddressInfo;
        urls.unshift(`${listener.https ? 'https' : 'http'}://${host}:${port}`);
      }
      return urls;
    },
    close: () =>
      (closing ??= (async () => {
        for (const { server } of opened) await server.close();
      })()),
  };
}

/** What the servers of one process have in common. */
interface Shared {
  readonly parts: PlatformParts;
  readonly answer: AnswerFailure;
  readonly unknownFields: UnknownFields | undefined;
}

async function createServer(
  module: DynamicModule,
  listener: Listener,
  { parts, answer, unknownFields }: Shared,
  health: boolean,
): Promise<NestFastifyApplication> {
  // Loaded here: a command that takes settings or sealed files from this package waits for no server to be loaded.
  const { NestFactory } = await import('@nestjs/core');
  const { FastifyAdapter } = await import('@nestjs/platform-fastify');
  // Node's own refusal is an empty 400; `answerUnreadable` does it in the app's form.
  const http = { requireHostHeader: false };
  const adapter = new FastifyAdapter({
    bodyLimit: listener.bodyLimit ?? DEFAULT_BODY_LIMIT,
    // Its refusal while it closes has a form of its own: what still comes then is served.
    return503OnClosing: false,
    requestTimeout: 30_000,
    routerOptions: { maxParamLength: LONGEST_PARAMETER },
    // An address that cannot be decoded never reaches a route.
    frameworkErrors: (error: unknown, _request: unknown, reply: unknown) =>
      answer(error, reply as FailureReply),
    ...(listener.https
      ? { https: { handshakeTimeout: HANDSHAKE_TIMEOUT_MS, ...listener.https, ...http } }
      : { http }),
  });
  if (listener.mostConnections !== undefined) {
    adapter.getHttpServer<Server>().maxConnections = listener.mostConnections;
  }
  closeConnectionsInTheEnd(adapter);
  answerUnreadable(adapter, answer);
  const root: DynamicModule = { module: Root, imports: [PlatformModule.register(parts, { health }), module] };
  const server = await NestFactory.create<NestFastifyApplication>(root, adapter, {
    logger: new NestLogger(parts.log),
    abortOnError: false,
  });
  if (unknownFields !== undefined) server.useGlobalPipes(new RequestValidationPipe(unknownFields));
  server.useGlobalFilters(new FailureFilter(answer));
  // What Fastify refuses before a controller is reached: a body that is no JSON, or too large.
  adapter.getInstance().addHook('onRoute', (route) => {
    route.errorHandler = (error, _request, reply) => answer(error, reply);
  });
  await server.init();
  return server;
}
