import type { Server } from 'node:http';
import type { ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import { Module, type DynamicModule, type INestApplicationContext } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import {
  AllExceptionsFilter,
  problemResponder,
  type ErrorResponder,
  type HttpReply,
} from '../http-errors/error-responses.js';
import { respondToMalformedRequests } from '../http-errors/malformed-requests.js';
import type { Logger } from '../logging/logger.js';
import { NestLogger } from '../logging/nest-logger.js';
import { Degradations } from '../observability/degradations.js';
import { Metrics } from '../observability/metrics.js';
import { Readiness } from '../observability/readiness.js';
import { PlatformModule, type PlatformContext } from '../platform.module.js';
import type { commonSettings } from '../settings/common.js';
import type { SettingsDefinition, SettingsOf } from '../settings/settings.js';
import { RequestValidationPipe, type UnknownFields } from '../validation/request-validation.pipe.js';
import { closeConnectionsOnShutdown } from './close-connections.js';

export type AppSettings = SettingsDefinition & typeof commonSettings;

export interface ListenOptions {
  readonly port: number;
  /** Address to listen on. Default: the setting HOST. */
  readonly host?: string;
  /** TLS for this port; plain HTTP when omitted. */
  readonly https?: ServerOptions;
  /** Maximum size of a request body, bytes. Default 1 MiB. */
  readonly bodyLimit?: number;
  /** Maximum number of connections; further ones are closed. Default: no limit but the system's. */
  readonly maxConnections?: number;
}

/** A second server of the same process with its own port. It shares settings, logger and metrics, not controllers. */
export interface SecondaryServer {
  readonly module: DynamicModule;
  readonly http: ListenOptions;
}

export interface AppOptions<D extends AppSettings> {
  readonly name: string;
  readonly definition: D;
  readonly module: (settings: SettingsOf<D>, log: Logger) => DynamicModule | Promise<DynamicModule>;
  readonly http: (settings: SettingsOf<D>) => ListenOptions | Promise<ListenOptions>;
  /** Creates the form of error responses. Default: problem+json. */
  readonly errorResponder?: (log: Logger, metrics: Metrics) => ErrorResponder;
  /**
   * How fields that a DTO class does not declare are handled. Apps without DTO classes omit it and do not load class-validator, which
   * saves 0.1 s of the start.
   */
  readonly unknownFields?: UnknownFields;
  /** Whether the platform serves its report at `/health`. Default true; false for an app with an operation of its own there. */
  readonly healthReport?: boolean;
  /** Called when the main module is built, so that a secondary server can use its providers. */
  readonly secondaryServers?: (
    settings: SettingsOf<D>,
    main: INestApplicationContext,
  ) => SecondaryServer[] | Promise<SecondaryServer[]>;
}

export interface BuiltApp {
  /** The main Nest application. */
  readonly nest: NestFastifyApplication;
  /** Opens every port, the main one with the health addresses last. @returns their URLs, the main one first */
  listen(): Promise<string[]>;
  /** Shuts down gracefully, the secondary servers first. Harmless when repeated. */
  close(): Promise<void>;
}

const DEFAULT_BODY_LIMIT = 1_048_576;

/** Node's own limit of two minutes would delay the shutdown for a client that has vanished. */
const HANDSHAKE_TIMEOUT_MS = 10_000;

/** The longest name of the bus in an address (channel, DID), characters. Fastify's own limit is 100. */
const MAX_PARAMETER_LENGTH = 255;

@Module({})
class RootModule {}

/** Builds an app without touching the process (signals, exit), so that tests run the real app. */
export async function buildApp<D extends AppSettings>(
  options: AppOptions<D>,
  settings: SettingsOf<D>,
  log: Logger,
): Promise<BuiltApp> {
  const platform: PlatformContext = {
    settings,
    log,
    metrics: new Metrics(),
    readiness: new Readiness(),
    degradations: new Degradations(),
  };
  const context: ServerContext = {
    platform,
    respond: (options.errorResponder ?? problemResponder)(log, platform.metrics),
    unknownFields: options.unknownFields,
    healthReport: options.healthReport ?? true,
  };
  const http = await options.http(settings);
  const nest = await createServer(await options.module(settings, log), http, context, true);
  const servers = [{ server: nest, http }];
  try {
    for (const secondary of (await options.secondaryServers?.(settings, nest)) ?? []) {
      const server = await createServer(secondary.module, secondary.http, context, false);
      servers.unshift({ server, http: secondary.http });
    }
  } catch (error) {
    await nest.close();
    throw error;
  }
  const listen = async (): Promise<string[]> => {
    const urls: string[] = [];
    for (const { server, http: listenOptions } of servers) {
      const host = listenOptions.host ?? settings.HOST;
      await server.listen(listenOptions.port, host);
      const { port } = server.getHttpServer().address() as AddressInfo;
      urls.unshift(`${listenOptions.https ? 'https' : 'http'}://${host}:${port}`);
    }
    return urls;
  };
  const closeAll = async (): Promise<void> => {
    for (const { server } of servers) await server.close();
  };
  let closing: Promise<void> | undefined;
  return { nest, listen, close: () => (closing ??= closeAll()) };
}

/** What the servers of one process have in common. */
interface ServerContext {
  readonly platform: PlatformContext;
  readonly respond: ErrorResponder;
  readonly unknownFields: UnknownFields | undefined;
  readonly healthReport: boolean;
}

async function createServer(
  module: DynamicModule,
  listen: ListenOptions,
  { platform, respond, unknownFields, healthReport }: ServerContext,
  health: boolean,
): Promise<NestFastifyApplication> {
  // Imported here, so that a command that only uses settings or files of this package starts faster.
  const { NestFactory } = await import('@nestjs/core');
  const { FastifyAdapter } = await import('@nestjs/platform-fastify');
  // Node would respond with an empty 400; `respondToMalformedRequests` uses the app's form.
  const http = { requireHostHeader: false };
  const adapter = new FastifyAdapter({
    bodyLimit: listen.bodyLimit ?? DEFAULT_BODY_LIMIT,
    // Requests that arrive during the shutdown are served: Fastify's own 503 has another form.
    return503OnClosing: false,
    requestTimeout: 30_000,
    routerOptions: { maxParamLength: MAX_PARAMETER_LENGTH },
    // An address that cannot be decoded reaches no route.
    frameworkErrors: (error: unknown, _request: unknown, reply: unknown) =>
      respond(error, reply as HttpReply),
    ...(listen.https
      ? { https: { handshakeTimeout: HANDSHAKE_TIMEOUT_MS, ...listen.https, ...http } }
      : { http }),
  });
  if (listen.maxConnections !== undefined) {
    adapter.getHttpServer<Server>().maxConnections = listen.maxConnections;
  }
  closeConnectionsOnShutdown(adapter);
  respondToMalformedRequests(adapter, respond);
  const root: DynamicModule = {
    module: RootModule,
    imports: [PlatformModule.register(platform, { health, healthReport }), module],
  };
  const server = await NestFactory.create<NestFastifyApplication>(root, adapter, {
    logger: new NestLogger(platform.log),
    abortOnError: false,
  });
  if (unknownFields !== undefined) server.useGlobalPipes(new RequestValidationPipe(unknownFields));
  server.useGlobalFilters(new AllExceptionsFilter(respond));
  // Fastify refuses a body that is not JSON, or too large, before a controller is reached.
  adapter.getInstance().addHook('onRoute', (route) => {
    route.errorHandler = (error, _request, reply) => respond(error, reply);
  });
  await server.init();
  return server;
}
