import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { BusError } from '../bus-error.js';
import { AttemptBudget } from '../identity/attempt-budget.js';

/** Bounds the signed tokens that are verified for one network address. */
@Injectable()
export class AttemptGuard implements CanActivate {
  constructor(private readonly budget: AttemptBudget) {}

  /** @throws BusError BUS::TOO_MANY_REQUESTS when this network address has used its share of the minute */
  canActivate(context: ExecutionContext): true {
    if (this.budget.spend(context.switchToHttp().getRequest<{ readonly ip: string }>().ip)) return true;
    throw new BusError('BUS::TOO_MANY_REQUESTS', 'Too many signed tokens from this network address.');
  }
}
