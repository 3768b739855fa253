import {
  createParamDecorator,
  Inject,
  Injectable,
  type CanActivate,
  type ExecutionContext,
} from '@nestjs/common';
import type { Did } from '@ssb/identity';
import { BusError } from '../bus-error.js';
import { BearerTokens } from '../identity/bearer-tokens.js';

interface BearerRequest {
  readonly headers: { readonly authorization?: string };
}

const callers = new WeakMap<BearerRequest, Did>();

/** Lets a request pass that carries a valid bearer token, and remembers whose it is. */
@Injectable()
export class BearerGuard implements CanActivate {
  constructor(@Inject(BearerTokens) private readonly tokens: BearerTokens) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<BearerRequest>();
    callers.set(request, await this.tokens.authenticate(request.headers.authorization));
    return true;
  }
}

/** The DID that the request speaks for; only behind `BearerGuard`. */
export const Caller = createParamDecorator((_: unknown, context: ExecutionContext): Did => {
  const caller = callers.get(context.switchToHttp().getRequest<BearerRequest>());
  if (caller === undefined) throw new BusError('BUS::UNAUTHENTICATED', 'A bearer token is required.');
  return caller;
});
