/** What a full link needs for a byte of a TCP stream, headers of TCP, IP and Ethernet included: 1448 of 1514 bytes of a packet carry it. */
export const WIRE_BYTES = 1514 / 1448;
