/** The OpenAPI document of the gateway's REST interface. It has no `clientId`, which the gateway passes on all the same. */
export const REST_DOCUMENT = `openapi: 3.0.1
info:
  title: DSB Client Gateway
  version: 0.6.1
paths:
  /api/v1/message:
    post:
      operationId: createMessage
      responses:
        '200':
          description: The message was published
    get:
      operationId: getMessage
      parameters:
        - in: query
          name: fqcn
          required: true
          schema:
            type: string
        - in: query
          name: amount
          required: false
          schema:
            type: number
        - in: query
          name: from
          required: false
          schema:
            type: string
      responses:
        '200':
          description: The messages
  /api/v1/channels:
    get:
      operationId: getChannels
      responses:
        '200':
          description: The channels
`;

/** The AsyncAPI document of the gateway's WebSocket. */
export const EVENTS_DOCUMENT = `asyncapi: 2.2.0
info:
  title: DSB Client Gateway
  version: 0.6.1
channels:
  /events:
    publish:
      message:
        payload:
          type: object
          required: [fqcn, payload]
    subscribe:
      message:
        payload:
          type: array
`;
