/** Some tools of n8n report a failure to their agent in words; n8n itself counts such a run as a success. Pure. */
const ERROR_FOR_AGENT = /^(?:HTTP \d{3} )?There was an error: "/;

export const isErrorForAgent = (text: string): boolean => ERROR_FOR_AGENT.test(text);
