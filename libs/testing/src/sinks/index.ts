export { type HttpSink, type Received, startHttpSink } from './http-sink.js';
export {
  readHeaders,
  readParts,
  type ReceivedMail,
  type SmtpReceiver,
  startSmtpReceiver,
} from './smtp-receiver.js';
export {
  readAlerts,
  readCard,
  readIncident,
  readReference,
  readSlackMessage,
  readWebhook,
  type ReceivedMessage,
} from './vendor-formats.js';
