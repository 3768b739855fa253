interface HealthReport {
  readonly status: string;
  readonly faults: readonly {
    readonly reason: string;
    readonly detail: string;
    readonly interface?: string;
    readonly document?: string;
  }[];
}

interface ReadinessReport {
  readonly checks: { readonly participants: { readonly message?: string } };
}

export async function health(url: string): Promise<HealthReport> {
  return (await fetch(`${url}/health`)).json() as Promise<HealthReport>;
}

/** The status of the readiness report, and the message of its check of the participants. */
export async function readiness(url: string): Promise<{ status: number; participants?: string }> {
  const response = await fetch(`${url}/health/ready`);
  const { message } = ((await response.json()) as ReadinessReport).checks.participants;
  return { status: response.status, ...(message !== undefined && { participants: message }) };
}
