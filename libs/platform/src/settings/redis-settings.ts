import { optional, redisAddresses, redisUrl, text } from './schemas.js';
import { defineSettings } from './settings.js';

const pemFile = text('the path of a PEM file');

/** User and files of a connection to Redis. */
export const redisCredentialSettings = defineSettings({
  REDIS_USERNAME: {
    schema: optional(text('a user name')),
    doc: "User of Redis's access control list; `default` when unset. Not with credentials in REDIS_URL.",
  },
  REDIS_PASSWORD_FILE: {
    schema: optional(text('the path of a file')),
    doc: 'File with the password for Redis; read again before each new connection. Not with credentials in REDIS_URL.',
    requiredWith: 'REDIS_USERNAME',
  },
  REDIS_CA_FILE: {
    schema: optional(pemFile),
    doc: "CA certificate of a Redis with rediss://; the system's CA certificates when unset.",
  },
  REDIS_CERT_FILE: {
    schema: optional(pemFile),
    doc: 'Client certificate with its chain, for a Redis with rediss:// that requires one.',
    requiredWith: 'REDIS_KEY_FILE',
  },
  REDIS_KEY_FILE: {
    schema: optional(pemFile),
    doc: 'Private key of that certificate.',
    requiredWith: 'REDIS_CERT_FILE',
  },
});

/**
 * The settings of an app that uses Redis: one server, Redis Sentinel or Redis Cluster.
 * @param content what the app stores in Redis, for the docs
 */
export const redisSettings = (content: string) =>
  defineSettings({
    REDIS_URL: {
      schema: optional(redisUrl()),
      default: 'redis://127.0.0.1:6379',
      doc: `Redis that holds ${content}; rediss:// requires TLS. Not with REDIS_SENTINELS or REDIS_CLUSTER_NODES.`,
      secret: true,
      notWith: ['REDIS_SENTINELS', 'REDIS_CLUSTER_NODES'],
    },
    REDIS_SENTINELS: {
      schema: optional(redisAddresses()),
      doc: 'Redis Sentinels that know the master, instead of REDIS_URL. With rediss://, Sentinels and servers require TLS. Set credentials in the settings below.',
      secret: true,
      requiredWith: 'REDIS_SENTINEL_MASTER',
      notWith: ['REDIS_CLUSTER_NODES'],
    },
    REDIS_SENTINEL_MASTER: {
      schema: optional(text("the master's name")),
      doc: 'Name of the master in the configuration of the Sentinels.',
      requiredWith: 'REDIS_SENTINELS',
    },
    REDIS_SENTINEL_USERNAME: {
      schema: optional(text('a user name')),
      doc: 'User at the Sentinels; `default` when unset.',
    },
    REDIS_SENTINEL_PASSWORD_FILE: {
      schema: optional(text('the path of a file')),
      doc: 'File with the password for the Sentinels, if they require one; read again before each new connection.',
      requiredWith: 'REDIS_SENTINEL_USERNAME',
    },
    REDIS_CLUSTER_NODES: {
      schema: optional(redisAddresses()),
      doc: 'Some nodes of a Redis Cluster, instead of REDIS_URL. Set credentials in REDIS_USERNAME and REDIS_PASSWORD_FILE.',
      secret: true,
    },
    ...redisCredentialSettings,
  });
