import { DEFAULT_BROKER_AUDIENCE } from '@ssb/bus/provisioning';
import { GATEWAY_ADMIN_NAME, GATEWAY_USER_NAME } from '@ssb/keys';
import type { RedisSettings } from '@ssb/redis-queue';
import { join } from 'node:path';
import type { SandboxCertificates } from '@ssb/keys/deployment';
import type { DatabaseUrls } from '../provision/database-schemas.js';
import type { DevelopmentSecrets } from '../provision/development-secrets.js';
import type { FurtherParticipant } from '../provision/further-participants.js';
import type { Ports, ProcessName } from './processes.js';

export interface Webhook {
  readonly url: string;
  readonly secret: string;
}

/** Everything that the environments of the processes are built from. */
export interface SystemPlan {
  /** Folder of all data of the system. */
  readonly folder: string;
  readonly ports: Ports;
  readonly redis: RedisSettings;
  readonly databaseUrls: DatabaseUrls;
  /** Its access is in the settings of the poller. */
  readonly participant: string;
  /** Their access is in CONFIG_FILE. */
  readonly furtherParticipants: readonly FurtherParticipant[];
  /** CONFIG_FILE of all apps of the bridge. */
  readonly operatorConfig: string;
  readonly certificates: SandboxCertificates;
  readonly secrets: Omit<DevelopmentSecrets, 'issuerKey'>;
  /** Receives alerts and notices of the subscriber. */
  readonly webhook: Webhook;
  /** Receives the faults that poller, bus-publisher and subscriber post themselves. Its secret is another one. */
  readonly operationsWebhook: Webhook;
  /** Scenario of the simulator; no simulator when undefined. */
  readonly scenario?: string;
  /** Between two polls, milliseconds. */
  readonly pollIntervalMs: number;
  /** Days after which archived events are deleted; undefined to keep them. */
  readonly retentionDays?: number | undefined;
  /** Additional settings per process. */
  readonly overrides?: Partial<Record<ProcessName, Readonly<Record<string, string>>>>;
}

export const BROKER_AUDIENCE = DEFAULT_BROKER_AUDIENCE;
/** The user of publisher and subscriber at their gateways. */
export const GATEWAY_USER = GATEWAY_USER_NAME;
/** The user that gives a gateway its identity and enrols it. */
export const GATEWAY_ADMIN = GATEWAY_ADMIN_NAME;

export function gatewayUrl(ports: Ports, side: 'publisher' | 'subscriber'): string {
  return `http://127.0.0.1:${ports[`gateway-${side}`]}`;
}

/** The variables of `senders` in the operator's configuration file. */
export function senderVariables(
  publisherGatewayDid: string,
  { originDid }: { readonly originDid: string },
): { readonly PUBLISHER_GATEWAY_DID: string; readonly BRIDGE_ORIGIN_DID: string } {
  return { PUBLISHER_GATEWAY_DID: publisherGatewayDid, BRIDGE_ORIGIN_DID: originDid };
}

/** Builds the environment of every process. @param publisherGatewayDid empty as long as the gateway has no identity */
export function buildEnvironments(
  plan: SystemPlan,
  publisherGatewayDid: string,
): Record<ProcessName, Record<string, string>> {
  const { ports, secrets, certificates, folder, databaseUrls, participant, furtherParticipants } = plan;
  const tokenUrl = `https://127.0.0.1:${ports.token}`;
  const reportingUrl = `https://127.0.0.1:${ports.reporting}`;
  // The operator's configuration file refers to these variables, and in `alerts` to those of the webhook.
  const configVariables = senderVariables(publisherGatewayDid, secrets);
  // Unset settings have no variable.
  const redis = Object.fromEntries(
    Object.entries(plan.redis).filter(([, value]) => value !== undefined),
  ) as Record<string, string>;
  const operationsWebhook = {
    OPERATIONS_WEBHOOK_URL: plan.operationsWebhook.url,
    OPERATIONS_WEBHOOK_SECRET: plan.operationsWebhook.secret,
  };
  const gateway = (side: 'publisher' | 'subscriber'): Record<string, string> => ({
    PORT: String(ports[`gateway-${side}`]),
    MANAGEMENT_PORT: String(ports[`gateway-${side}-management`]),
    BASIC_AUTH_USERNAME: GATEWAY_ADMIN,
    BASIC_AUTH_PASSWORD: secrets.gateways[side].adminPassword,
    USERS_FILE: secrets.gateways[side].usersFile,
    DATA_DIR: join(folder, `gateway-${side}`),
    IDENTITY_SECRET_FILE: secrets.encryptionSecretFile,
    BROKER_URL: `http://127.0.0.1:${ports.broker}`,
    BROKER_AUDIENCE,
  });
  const environments: Record<ProcessName, Record<string, string>> = {
    token: {
      PORT: String(ports.token),
      MANAGEMENT_PORT: String(ports['token-management']),
      TLS_CERT_FILE: certificates.token.certificate,
      TLS_KEY_FILE: certificates.token.key,
      ISSUER: tokenUrl,
      CLIENT_CA_FILE: certificates.ca,
      DATABASE_URL: databaseUrls.token,
      KEY_SECRET_FILE: secrets.encryptionSecretFile,
      ADMIN_PORT: String(ports['token-admin']),
      ADMIN_SECRET_FILE: secrets.tokenAdminFile,
    },
    reporting: {
      PORT: String(ports.reporting),
      MANAGEMENT_PORT: String(ports['reporting-management']),
      OPERATOR_PORT: String(ports.operator),
      TLS_CERT_FILE: certificates.reporting.certificate,
      TLS_KEY_FILE: certificates.reporting.key,
      CLIENT_CA_FILE: certificates.ca,
      JWKS_URL: `${tokenUrl}/.well-known/jwks.json`,
      JWKS_CA_FILE: certificates.ca,
      TOKEN_ISSUER: tokenUrl,
      DATABASE_URL: databaseUrls.reporting,
    },
    broker: {
      PORT: String(ports.broker),
      MANAGEMENT_PORT: String(ports['broker-management']),
      ...redis,
      BROKER_AUDIENCE,
      TOKEN_SECRET_FILE: secrets.brokerTokenFile,
      IDENTITY_KEY_FILE: join(folder, 'broker', 'identity.key'),
      IDENTITY_SECRET_FILE: secrets.encryptionSecretFile,
      ROLE_ISSUERS: secrets.issuerDid,
      CHANNEL_CREATORS: secrets.issuerDid,
    },
    'gateway-publisher': gateway('publisher'),
    'gateway-subscriber': gateway('subscriber'),
    subscriber: {
      ...configVariables,
      ...operationsWebhook,
      WEBHOOK_URL: plan.webhook.url,
      WEBHOOK_SECRET: plan.webhook.secret,
      PORT: String(ports.subscriber),
      GATEWAY_URL: gatewayUrl(ports, 'subscriber'),
      GATEWAY_USERNAME: GATEWAY_USER,
      GATEWAY_PASSWORD_FILE: secrets.gateways.subscriber.passwordFile,
      CONFIG_FILE: plan.operatorConfig,
      DATABASE_URL: databaseUrls.subscriber,
      REPLICA_NAME: 'subscriber',
      ...(plan.retentionDays !== undefined && { ARCHIVE_RETENTION_DAYS: String(plan.retentionDays) }),
    },
    'bus-publisher': {
      ...configVariables,
      ...operationsWebhook,
      PORT: String(ports['bus-publisher']),
      MANAGEMENT_OPERATE_TOKEN_FILE: secrets.managementOperateFile,
      ...redis,
      CONFIG_FILE: plan.operatorConfig,
      GATEWAY_URL: gatewayUrl(ports, 'publisher'),
      GATEWAY_USERNAME: GATEWAY_USER,
      GATEWAY_PASSWORD_FILE: secrets.gateways.publisher.passwordFile,
      ORIGIN_KEY_FILE: secrets.originKeyFile,
      ORIGIN_KEY_SECRET_FILE: secrets.encryptionSecretFile,
      INTEGRITY_KEYS_FILE: secrets.integrityKeysFile,
      TRANSACTION_ID_KEYS_FILE: secrets.transactionIdKeysFile,
    },
    poller: {
      ...configVariables,
      ...operationsWebhook,
      PORT: String(ports.poller),
      MANAGEMENT_OPERATE_TOKEN_FILE: secrets.managementOperateFile,
      ...redis,
      CONFIG_FILE: plan.operatorConfig,
      INTEGRITY_KEYS_FILE: secrets.integrityKeysFile,
      DATABASE_URL: databaseUrls.poller,
      SUBSCRIBER_URL: `http://127.0.0.1:${ports.subscriber}`,
      // CONFIG_FILE of a test can have participants that other pollers poll.
      ...(furtherParticipants.length === 0 && { PARTICIPANT: participant }),
      TOKEN_URL: tokenUrl,
      TOKEN_CA_FILE: certificates.ca,
      TOKEN_CLIENT_ID: secrets.participantClient.id,
      TOKEN_CLIENT_SECRET: secrets.participantClient.secret,
      PRUDENTIAL_URL: reportingUrl,
      SETTLEMENT_URL: reportingUrl,
      CLIENT_CERT_FILE: certificates.participant.certificate,
      CLIENT_KEY_FILE: certificates.participant.key,
      REPORTING_CA_FILE: certificates.ca,
      POLL_PRUDENTIAL_INTERVAL_MS: String(plan.pollIntervalMs),
      POLL_SETTLEMENT_INTERVAL_MS: String(plan.pollIntervalMs),
      ...sandboxSchedule(plan.pollIntervalMs),
      SETTLEMENT_FETCHES_PER_POLL: '1000',
      // The operator's request limits would slow down a local simulation.
      PRUDENTIAL_REQUESTS_PER_MINUTE: '6000',
      PRUDENTIAL_REQUESTS_PER_FIVE_MINUTES: '30000',
      // The simulated market has a backlog of thirteen weeks with adjustments.
      TIMELINE_LOOKBACK_DAYS: '120',
    },
    api: {
      ...configVariables,
      PORT: String(ports.api),
      MANAGEMENT_PORT: String(ports['api-management']),
      CONFIG_FILE: plan.operatorConfig,
      API_ACCESS_FILE: secrets.apiAccess.file,
      SIGN_IN_LINK_FILE: secrets.signInLinkFile,
      DATABASE_URL: databaseUrls.api,
      POLLER_URLS: local(ports.poller),
      PUBLISHER_URLS: local(ports['bus-publisher']),
      SUBSCRIBER_URLS: local(ports.subscriber),
      GATEWAY_URLS: `${local(ports['gateway-publisher-management'])},${local(ports['gateway-subscriber-management'])}`,
      HOPS_OPERATE_TOKEN_FILE: secrets.managementOperateFile,
    },
    simulator: {
      PORT: String(ports.simulator),
      SCENARIO: plan.scenario ?? 'everyday',
      PARTICIPANTS: [participant, ...furtherParticipants.map(({ code }) => code)].join(','),
      STATE_FILE: join(folder, 'simulator', 'progress.json'),
      OPERATOR_URL: `http://127.0.0.1:${ports.operator}`,
      TOKEN_URL: tokenUrl,
      TOKEN_CLIENT_ID: secrets.operatorClient.id,
      TOKEN_CLIENT_SECRET: secrets.operatorClient.secret,
      CA_FILE: certificates.ca,
    },
  };
  for (const [name, settings] of Object.entries(plan.overrides ?? {}))
    Object.assign(environments[name as ProcessName], settings);
  return environments;
}

const local = (port: number): string => `http://127.0.0.1:${port}`;

/** Rechecks are as many as there are publications, so they come less often than other requests. */
const RECHECK_POLLS = 10;

/** The simulated market publishes within seconds what the operator publishes within days. */
function sandboxSchedule(pollIntervalMs: number): Record<string, string> {
  const interval = String(pollIntervalMs);
  return {
    TIMELINE_INTERVAL_MS: interval,
    SETTLEMENT_DUE_INTERVAL_MS: interval,
    SETTLEMENT_OVERDUE_INTERVAL_MS: interval,
    SETTLEMENT_COMMENCED_INTERVAL_MS: interval,
    SETTLEMENT_RETRY_INTERVAL_MS: interval,
    SETTLEMENT_RECHECK_INTERVAL_MS: String(RECHECK_POLLS * pollIntervalMs),
    SETTLEMENT_EARLY_INTERVAL_MS: String(RECHECK_POLLS * pollIntervalMs),
  };
}
