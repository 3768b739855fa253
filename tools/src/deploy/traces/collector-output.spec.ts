import { parseCollectorOutput } from './collector-output.js';

/** Written by otelcol 0.155.0. */
const OUTPUT = `Traces	{"resource spans": 1, "spans": 1}
ResourceSpans #0
Resource SchemaURL: 
Resource attributes:
     -> service.name: Str(settlement-bus-bridge-poller)
ScopeSpans #0
ScopeSpans SchemaURL: 
InstrumentationScope settlement-bus-bridge 
Span #0
    Trace ID       : 0af7651916cd43dd8448eb211c80319c
    Parent ID      : 
    ID             : b7ad6b7169203331
    Name           : event detect
    Kind           : Internal
    Status code    : Unset
    Status message : 
Attributes:
     -> cloudevents.event_type: Str(settlementbus.margin.breached.v1)
Span #1
    Trace ID       : 0af7651916cd43dd8448eb211c80319c
    Parent ID      : b7ad6b7169203331
    ID             : c7ad6b7169203331
    Name           : message send
Attributes:
     -> messaging.destination.name: Str(a)
Span #2
    Trace ID       : 0af7651916cd43dd84`;

it('the output of a collector gives each complete span with its service and parent', () => {
  const common = { service: 'settlement-bus-bridge-poller', traceId: '0af7651916cd43dd8448eb211c80319c' };
  expect(parseCollectorOutput(OUTPUT)).toEqual([
    {
      ...common,
      name: 'event detect',
      spanId: 'b7ad6b7169203331',
      parentSpanId: undefined,
      eventType: 'settlementbus.margin.breached.v1',
    },
    {
      ...common,
      name: 'message send',
      spanId: 'c7ad6b7169203331',
      parentSpanId: 'b7ad6b7169203331',
      eventType: undefined,
    },
  ]);
});
