/** In which words some tools of n8n report to their agent that they failed. To n8n that is a success. Pure. */
const ERROR_FOR_AGENT = /^(?:HTTP \d{3} )?There was an error: "/;

export const isErrorForAgent = (text: string): boolean => ERROR_FOR_AGENT.test(text);
