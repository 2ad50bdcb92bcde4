/** JSON Web Tokens: signed, unsecured (the last part is empty), encrypted (five parts; the second may be empty). */
export const jwt = `
JWS | ^{eyJ|ewo}{v:8+}.{v:8+}.{v:0+} | datatracker.ietf.org
JWE | ^{eyJ|ewo}{v:8+}.{v:0+}.{v:8+}.{v:8+}.{v:8+} | datatracker.ietf.org
`;
