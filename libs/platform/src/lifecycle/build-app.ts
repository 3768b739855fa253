import type { Server } from 'node:http';
import type { ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import { Module, type DynamicModule, type INestApplicationContext } from '@nestjs/common';
import type { FastifyInstance } from 'fastify';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { acceptOnlyJson } from '../http-errors/accept-only-json.js';
import {
  AllExceptionsFilter,
  problemResponder,
  type ErrorResponder,
  type HttpReply,
} from '../http-errors/error-responses.js';
import { refuseContentEncodings } from '../http-errors/content-encoding.js';
import { respondToMalformedRequests } from '../http-errors/malformed-requests.js';
import type { Logger } from '../logging/logger.js';
import { NestLogger } from '../logging/nest-logger.js';
import { ManagementAccess } from '../management/management-access.js';
import { ManagementModule } from '../management/management.module.js';
import { toUrlHost } from '../network/url-host.js';
import { Degradations } from '../observability/degradations.js';
import { Liveness } from '../observability/liveness.js';
import { Metrics } from '../observability/metrics.js';
import { observeHealth } from '../observability/observe-health.js';
import { Readiness } from '../observability/readiness.js';
import { PlatformModule, type PlatformContext } from '../platform.module.js';
import type { commonSettings } from '../settings/common.js';
import type { SettingsDefinition, SettingsOf } from '../settings/settings.js';
import { readServerTls } from '../tls/server-tls.js';
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
  /**
   * Where the management addresses listen: `managementAddress` for an app that serves an interface on its main port. Without it they are
   * on the main port.
   */
  readonly management?: (settings: SettingsOf<D>) => { readonly port: number; readonly host: string };
  /** Creates the form of error responses. Default: problem+json. */
  readonly errorResponder?: (log: Logger, metrics: Metrics, settings: SettingsOf<D>) => ErrorResponder;
  /**
   * How fields that a DTO class does not declare are handled. Apps without DTO classes omit it and do not load class-validator, which
   * saves 0.1 s of the start.
   */
  readonly unknownFields?: UnknownFields;
  /** Registers plugins of Fastify on the main server, before its routes. */
  readonly prepare?: (server: FastifyInstance, settings: SettingsOf<D>) => Promise<void>;
  /** Called when the main module is built, so that a secondary server can use its providers. */
  readonly secondaryServers?: (
    settings: SettingsOf<D>,
    main: INestApplicationContext,
  ) => SecondaryServer[] | Promise<SecondaryServer[]>;
}

export interface BuiltApp {
  /** The main Nest application. */
  readonly nest: NestFastifyApplication;
  /** Opens every port, the one with the management addresses last, so that it reports no app that does not listen. */
  listen(): Promise<ListeningUrls>;
  /** Shuts down gracefully: the management port, the secondary servers, then the main one. Harmless when repeated. */
  close(): Promise<void>;
}

/** Where an app listens. */
export interface ListeningUrls {
  /** The ports of the app itself, the main one first. */
  readonly urls: string[];
  /** The port of the management addresses; the main one of an app without an interface. */
  readonly managementUrl: string;
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
    metrics: new Metrics(showsBusinessMetrics(settings)),
    readiness: new Readiness(),
    liveness: new Liveness(log),
    degradations: new Degradations(),
  };
  observeHealth(options.name, platform);
  const context: ServerContext = {
    platform,
    respond: (options.errorResponder ?? problemResponder)(log, platform.metrics, settings),
    unknownFields: options.unknownFields,
  };
  const address = options.management?.(settings);
  const https = await readServerTls(settings, 'MANAGEMENT_');
  const managementModule = ManagementModule.register(await ManagementAccess.open(settings, log));
  const mainHttp = await options.http(settings);
  const http = address === undefined && https ? { ...mainHttp, https } : mainHttp;
  const modules = [await options.module(settings, log)];
  if (address === undefined) modules.unshift(managementModule);
  const nest = await createServer(modules, http, context, (server) => options.prepare?.(server, settings));
  const servers: RunningServer[] = [{ server: nest, http }];
  let management: RunningServer | undefined;
  try {
    for (const secondary of (await options.secondaryServers?.(settings, nest)) ?? []) {
      const server = await createServer([secondary.module], secondary.http, context);
      servers.unshift({ server, http: secondary.http });
    }
    if (address !== undefined) {
      const managementHttp = { ...address, https };
      const ownForm = { ...context, respond: problemResponder(log) };
      management = {
        server: await createServer([managementModule], managementHttp, ownForm),
        http: managementHttp,
      };
    }
  } catch (error) {
    for (const { server } of servers) await server.close();
    throw error;
  }
  const listen = async (): Promise<ListeningUrls> => {
    const urls: string[] = [];
    for (const server of servers) urls.unshift(await startListening(server, settings.HOST));
    const managementUrl = management ? await startListening(management, settings.HOST) : urls[0];
    return { urls, managementUrl: managementUrl ?? '' };
  };
  const closeAll = async (): Promise<void> => {
    await management?.server.close();
    for (const { server } of servers) await server.close();
  };
  let closing: Promise<void> | undefined;
  return { nest, listen, close: () => (closing ??= closeAll()) };
}

/** Apps without amounts do not have the setting. */
function showsBusinessMetrics(settings: Readonly<Record<string, unknown>>): boolean {
  return settings['METRICS_BUSINESS'] !== false;
}

interface RunningServer {
  readonly server: NestFastifyApplication;
  readonly http: ListenOptions;
}

/** @returns the URL of the server */
async function startListening({ server, http }: RunningServer, defaultHost: string): Promise<string> {
  const host = http.host ?? defaultHost;
  await server.listen(http.port, host);
  const { port } = server.getHttpServer().address() as AddressInfo;
  return `${http.https ? 'https' : 'http'}://${toUrlHost(host)}:${port}`;
}

/** What the servers of one process have in common. */
interface ServerContext {
  readonly platform: PlatformContext;
  readonly respond: ErrorResponder;
  readonly unknownFields: UnknownFields | undefined;
}

async function createServer(
  modules: readonly DynamicModule[],
  listen: ListenOptions,
  { platform, respond, unknownFields }: ServerContext,
  prepare?: (server: FastifyInstance) => Promise<void> | undefined,
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
  refuseContentEncodings(adapter);
  await prepare?.(adapter.getInstance());
  const root: DynamicModule = {
    module: RootModule,
    imports: [PlatformModule.register(platform), ...modules],
  };
  const server = await NestFactory.create<NestFastifyApplication>(root, adapter, {
    logger: new NestLogger(platform.log),
    abortOnError: false,
    bodyParser: false,
  });
  acceptOnlyJson(adapter);
  if (unknownFields !== undefined) server.useGlobalPipes(new RequestValidationPipe(unknownFields));
  server.useGlobalFilters(new AllExceptionsFilter(respond));
  // Fastify refuses a body that is not JSON, or too large, before a controller is reached.
  adapter.getInstance().addHook('onRoute', (route) => {
    route.errorHandler = (error, _request, reply) => respond(error, reply);
  });
  await server.init();
  return server;
}
