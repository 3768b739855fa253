import { definitionOf, type EventDataByType } from './definitions.js';
import { toMarketTime } from './envelope/market-time.js';
import { createEvent, type DetectedEvent, type Detection } from './event.js';
import { identify } from './identity.js';
import { ALERT_REASONS, alertSeverity } from './types/alert-reasons.js';
import {
  MAX_DETAIL_LENGTH,
  type AlertReport,
  type BridgeAlertClearedData,
  type BridgeAlertRaisedData,
} from './types/bridge-alert.js';
import type { HeartbeatFact } from './types/heartbeat.js';

/** Creates the event of a fault: the first report, or a summary of further occurrences. */
export function createAlertRaisedEvent(
  report: AlertReport,
  detection: Detection,
): DetectedEvent<'settlementbus.bridge.alert.raised.v1'> {
  const { participant, detail, reason, sequence } = report;
  const data: BridgeAlertRaisedData = {
    ...toData(report),
    ...(detail !== undefined && { detail: detail.slice(0, MAX_DETAIL_LENGTH) || '-' }),
    action: ALERT_REASONS[reason].action,
    severity: alertSeverity(reason),
  };
  return createBridgeEvent('settlementbus.bridge.alert.raised.v1', participant, data, sequence, detection);
}

/** Creates the event of the end of a fault. */
export function createAlertClearedEvent(
  report: AlertReport,
  detection: Detection,
): DetectedEvent<'settlementbus.bridge.alert.cleared.v1'> {
  const { participant, sequence } = report;
  const data: BridgeAlertClearedData = { ...toData(report), clearedAt: detection.detectedAt.toISOString() };
  return createBridgeEvent('settlementbus.bridge.alert.cleared.v1', participant, data, sequence, detection);
}

/** Creates the heartbeat of one participant and channel at the time of the detection. */
export function createHeartbeatEvent(
  { participant, ...data }: HeartbeatFact,
  detection: Detection,
): DetectedEvent<'settlementbus.bridge.heartbeat.v1'> {
  const sequence = detection.detectedAt.getTime();
  return createBridgeEvent('settlementbus.bridge.heartbeat.v1', participant, data, sequence, detection);
}

function toData(report: AlertReport) {
  const { app, reason, channel, sender, interface: interfaceName, document, count, since } = report;
  return {
    app,
    reason,
    ...(channel !== undefined && { channel }),
    ...(sender !== undefined && { sender }),
    ...(interfaceName !== undefined && { interface: interfaceName }),
    ...(document !== undefined && { document }),
    count,
    since: since.toISOString(),
  };
}

type BridgeEventType = Extract<keyof EventDataByType, `settlementbus.bridge.${string}`>;

/** The creator orders an event about the bridge itself. Its time is that of the detection. */
function createBridgeEvent<Type extends BridgeEventType>(
  type: Type,
  participant: string,
  data: EventDataByType[Type],
  sequence: number,
  detection: Detection,
): DetectedEvent<Type> {
  const order = { sequence: BigInt(sequence), marketTime: toMarketTime(detection.detectedAt) };
  const identity = identify(definitionOf(type).identity, participant, data, order.sequence);
  return createEvent({ type, ...identity, ...order }, data, detection);
}
