/** The apps of the bridge that report faults of their own. */
export const BRIDGE_APPS = ['poller', 'bus-publisher', 'subscriber'] as const;
export type BridgeApp = (typeof BRIDGE_APPS)[number];

/** The closed list of reasons of operational alerts. Verifiers need it without the texts of the reasons. */
export const ALERT_REASON_NAMES = [
  'certificate-expired',
  'certificate-refused',
  'token-refused',
  'credentials-unusable',
  'operator-response-unusable',
  'calculation-in-future',
  'facts-left-out',
  'poll-overdue',
  'operator-throttles',
  'queue-unavailable',
  'dead-letter',
  'job-authentication-failed',
  'state-authentication-failed',
  'gateway-unreachable',
  'gateway-credentials-refused',
  'gateway-not-enrolled',
  'channel-not-permitted',
  'message-quarantined',
  'quarantine-full',
  'message-not-storable',
  'archive-authentication-failed',
  'retention-gap',
  'catch-up-failing',
  'client-superseded',
  'heartbeat-missing',
  'subscriber-silent',
  'operator-data-old',
  'sink-failing',
  'delivery-refused',
  'sink-disabled',
  'database-unavailable',
  'configuration-refused',
  'alerts-held-back',
  'replicas-differ',
  'clock-offset',
] as const;
export type AlertReason = (typeof ALERT_REASON_NAMES)[number];

export const ALERT_SEVERITIES = ['warning', 'critical'] as const;
export type AlertSeverity = (typeof ALERT_SEVERITIES)[number];
