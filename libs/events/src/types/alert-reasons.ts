import { BRIDGE_APPS, type AlertReason, type AlertSeverity, type BridgeApp } from './alert-reason-names.js';

/** What an operational alert means, and what the operator does about it. */
export interface AlertReasonDescription {
  readonly apps: readonly BridgeApp[];
  readonly meaning: string;
  /** Sent with each alert. */
  readonly action: string;
  /** True: the alert is cleared when the fault has ended. False: each occurrence is a fact that stays. */
  readonly clears: boolean;
}

const ALL = BRIDGE_APPS;
const ON_THE_BUS: readonly BridgeApp[] = ['bus-publisher', 'subscriber'];

function reason(
  apps: readonly BridgeApp[],
  meaning: string,
  action: string,
  clears = true,
): AlertReasonDescription {
  return { apps, meaning, action, clears };
}

/** Each reason of an operational alert. `docs/alerts.md` is generated from it. */
export const ALERT_REASONS = {
  'certificate-expired': reason(
    ['poller'],
    'The client certificate of a participant has expired.',
    'Replace the certificate and key files of the participant. The poller reads them again without a restart.',
  ),
  'certificate-refused': reason(
    ['poller'],
    'The operator refuses the client certificate of a participant.',
    'Check that the certificate belongs to the participant and is registered with the operator.',
  ),
  'token-refused': reason(
    ['poller'],
    'The token service refuses the credentials of a participant, or its token gives no access.',
    'Check TOKEN_URL, account and secret of the participant (access in CONFIG_FILE, or TOKEN_CLIENT_ID and TOKEN_CLIENT_SECRET), and the scopes of the account.',
  ),
  'credentials-unusable': reason(
    ['poller', 'subscriber'],
    'A file with certificates or secrets, of a participant or of a sink, is missing or unusable. What was read before stays in use; without that, the participant is not polled, or the sink gets nothing.',
    'Correct the file, or its path in CONFIG_FILE, before the next restart of the app. It reads the file again by itself.',
  ),
  'operator-response-unusable': reason(
    ['poller'],
    'The operator sends responses that cannot be used, such as a malformed calculation.',
    'Read the detail, then report it to the operator. Other responses are still processed.',
  ),
  'calculation-in-future': reason(
    ['poller'],
    'A calculation of the operator has a time that has not come. It is decided when its time comes; until then only this alert has its figures.',
    'Read the figures in the detail and decide what to do about a breach. Check the clocks (docs/operate/clocks.md), then report the time to the operator.',
  ),
  'facts-left-out': reason(
    ['poller'],
    'The operator serves more than the poller keeps of a participant, or a calculation so late that the levels at its time are already decided, so facts are left out. Or the store of the documents of invoices is full or fails.',
    'Read the detail: what is left out, and how much is kept. Lower TIMELINE_LOOKBACK_DAYS or TIMELINE_LOOKAHEAD_DAYS if they request too many runs; raise RECORD_STORE_MAX_BYTES for a full record, DOCUMENT_STORE_MAX_BYTES for documents. Request a backfill of the trading days of late calculations. Compare what is left out with the operator.',
  ),
  'poll-overdue': reason(
    ['poller'],
    'No poll of an interface has succeeded for three intervals.',
    'Check the operator, the network and the log of the poller.',
  ),
  'operator-throttles': reason(
    ['poller'],
    'The operator refuses requests for a time: 429 twice in a row, or any error with a Retry-After above 60 s. A pause of the prudential interface is bounded to 5 minutes, one of the settlement interface to an hour.',
    'Read the figures in the detail, and ask the operator. Check that no other system sends requests with the certificate of the participant.',
  ),
  'queue-unavailable': reason(
    ['poller', 'bus-publisher'],
    'Redis does not respond, so no event can be queued or published.',
    'Check Redis and REDIS_URL. Events are detected again once Redis responds.',
  ),
  'dead-letter': reason(
    ['bus-publisher'],
    'An event cannot be published with the current configuration.',
    'List the dead letters (docs/operate/dead-letters.md), fix the cause of the reason, then retry the event.',
    false,
  ),
  'job-authentication-failed': reason(
    ['bus-publisher'],
    'A job in Redis has no valid HMAC, so it was not published but moved to the dead letters.',
    'Find out who writes to Redis, and restrict its users (docs/security.md). After a change of INTEGRITY_KEYS_FILE, check that all apps have the same file. Then retry genuine dead letters, and remove forged ones (docs/operate/dead-letters.md).',
    false,
  ),
  'state-authentication-failed': reason(
    ['poller', 'bus-publisher'],
    'State in Redis has no valid HMAC, so it was discarded. The poller detects it again from the operator.',
    'Find out who writes to Redis, and restrict its users (docs/security.md). After a change of INTEGRITY_KEYS_FILE, check that all apps have the same file.',
    false,
  ),
  'gateway-unreachable': reason(
    ON_THE_BUS,
    'The gateway does not respond, or has no connection to its broker.',
    'Check the gateway and GATEWAY_URL. Events wait and are processed once it responds.',
  ),
  'gateway-credentials-refused': reason(
    ON_THE_BUS,
    'The gateway refuses the user or the password.',
    'Check GATEWAY_USERNAME and GATEWAY_PASSWORD, and the rights of the user.',
  ),
  'gateway-not-enrolled': reason(
    ON_THE_BUS,
    'The bus does not accept the identity of the gateway: no approved role, balance or right.',
    'Read the detail. Enrol the gateway and request the approval, or correct its balance or rights.',
  ),
  'channel-not-permitted': reason(
    ON_THE_BUS,
    'A configured channel or topic does not exist, or the gateway may not use it.',
    'Create the channel or its topic, or add the identity of the gateway to its publishers or subscribers.',
  ),
  'message-quarantined': reason(
    ['subscriber'],
    'A message with a valid signature of a trusted gateway or bridge was quarantined.',
    'List the quarantine (docs/operate/dead-letters.md). Correct senders in CONFIG_FILE: the subscriber reads it again and evaluates the quarantine. After a change of a variable that it uses, restart the subscriber.',
    false,
  ),
  'quarantine-full': reason(
    ['subscriber'],
    'The quarantine has reached its size limit, so messages are stored without their payload and cannot be evaluated again.',
    'Find the sender that fills the quarantine, then raise QUARANTINE_MAX_BYTES or remove its right to post.',
  ),
  'message-not-storable': reason(
    ['subscriber'],
    'The database cannot store a verified event, so the event was parked in the quarantine and not delivered. Other messages are stored.',
    'Read the detail: it names the event and the cause. Correct the database, then evaluate the quarantine again (docs/operate/alerts/messages-quarantined.md).',
    false,
  ),
  'archive-authentication-failed': reason(
    ['subscriber'],
    "The subscriber's database holds an id or an event that the subscriber did not store.",
    'Find out who writes to the database with the role of the subscriber, and change its password (docs/security.md). The detail says what became of the event.',
    false,
  ),
  'retention-gap': reason(
    ['subscriber'],
    'Messages were not received: the bus removed them first, the gateway does not return all of them, or one does not conform to document 002.',
    'Compare the archive with the statements of the operator. Raise the retention of the channel, or the number of messages that the gateway returns, or correct the sender of the malformed message.',
    false,
  ),
  'catch-up-failing': reason(
    ['subscriber'],
    'The subscriber cannot read the messages of a channel that its gateway did not push (plain delivery), or needed more than 10 consumers of the bus in a day for it.',
    'Read the detail. Check GET /api/v1/message of the gateway for the channel and the connection of the gateway to its broker. Nothing is lost while the bus keeps the messages.',
  ),
  'client-superseded': reason(
    ['subscriber'],
    'Another client connected to the gateway with the CLIENT_ID of the subscriber, so that messages went to it. The subscriber reads them again from the log of the bus.',
    'Find the other client: it has the password of a user of the gateway. Give it another client id, or change the password. Give each installation of the subscriber a CLIENT_ID of its own.',
  ),
  'heartbeat-missing': reason(
    ['subscriber'],
    'No heartbeat of a participant arrives on a channel.',
    'Check the hops after the last one that is known to work, which the detail names.',
  ),
  'subscriber-silent': reason(
    ['poller'],
    'The subscriber does not respond, or has verified no heartbeat for a while, so a breach may not reach anyone.',
    'Check the subscriber, its database and its gateway. The detail says what is missing. Then check SUBSCRIBER_URL of the poller.',
  ),
  'operator-data-old': reason(
    ['subscriber'],
    'Heartbeats arrive, but the last successful poll of an interface is older than three intervals.',
    'Check the poller of the participant and the interface of the operator.',
  ),
  'sink-failing': reason(
    ['subscriber'],
    'A sink accepts no delivery. What waits for it is kept, and delivered when it accepts again.',
    'Read the detail, then check the receiver of the sink, its address and its secret. Inform its people by other means if a breach waits.',
  ),
  'delivery-refused': reason(
    ['subscriber'],
    'A sink refuses events of a type, so their deliveries are parked. They block no others, and are attempted again every ten minutes.',
    'List the deliveries (docs/operate/subscriber.md), then correct the receiver. Inform its people by other means if a breach is parked.',
  ),
  'sink-disabled': reason(
    ['subscriber'],
    'A sink is disabled, by a person or because its receiver responded 410. Its deliveries are kept, and none is attempted.',
    'Read the detail. Inform the people of the sink by other means if a breach waits. Correct its receiver or its address, then enable the sink.',
  ),
  'database-unavailable': reason(
    ['subscriber'],
    'PostgreSQL accepts no writes, so no message is archived and nothing is delivered from the outbox.',
    'Check PostgreSQL and DATABASE_URL. Messages wait on the bus, and are received once it accepts writes.',
  ),
  'configuration-refused': reason(
    ALL,
    'CONFIG_FILE has changed and has errors. The previous configuration stays in use, and no restart succeeds.',
    'Read the detail, then correct the file (docs/operate/configure.md). The app reads it again without a restart, but cannot start with it.',
  ),
  'alerts-held-back': reason(
    ALL,
    'More faults occur than alerts may be sent in an hour. The others wait; their counts are in later alerts.',
    'Read the faults in "/health" and in the log of the app, and fix the most frequent one.',
  ),
  'replicas-differ': reason(
    ['poller'],
    'Replicas of the poller detect the facts of a participant with different settings, so a change of the leader changes the thresholds.',
    'Give all replicas the same CONFIG_FILE and the same release. The detail names what differs.',
  ),
  'clock-offset': reason(
    ALL,
    'The clock of the app differs from that of another system by more than the limit.',
    'Synchronise the clock of the host, for example with NTP. The detail names the other system.',
  ),
} as const satisfies Readonly<Record<AlertReason, AlertReasonDescription>>;

/** Whether a text from an event is one of the reasons. */
export function isAlertReason(reason: unknown): reason is AlertReason {
  return typeof reason === 'string' && Object.hasOwn(ALERT_REASONS, reason);
}

/** Reasons on which a person acts at once, also at night: as the alert rule whose page names the reason. */
const CRITICAL_REASONS: ReadonlySet<AlertReason> = new Set<AlertReason>([
  'certificate-expired',
  'certificate-refused',
  'token-refused',
  'credentials-unusable',
  'poll-overdue',
  'operator-data-old',
  'queue-unavailable',
  'dead-letter',
  'job-authentication-failed',
  'gateway-unreachable',
  'gateway-credentials-refused',
  'gateway-not-enrolled',
  'channel-not-permitted',
  'heartbeat-missing',
  'subscriber-silent',
  'message-not-storable',
  'archive-authentication-failed',
  'retention-gap',
  'configuration-refused',
  'sink-failing',
  'delivery-refused',
  'database-unavailable',
]);

export function alertSeverity(reason: AlertReason): AlertSeverity {
  return CRITICAL_REASONS.has(reason) ? 'critical' : 'warning';
}
