// SPDX-License-Identifier: Apache-2.0
// Written by model/spec/emit from the tables of model/spec. Change those.
//
// Headers have the first byte on the wire on top; everything else has its first field in
// the lowest bits, which is the lowest address in host memory.

package roci_pkg;

  localparam logic [15:0] EtherTypeIpv4 = 16'd2048;  // RFC 791
  localparam logic [15:0] EtherTypeArp = 16'd2054;  // RFC 826
  localparam logic [15:0] EtherTypeVlan = 16'd33024;  // IEEE 802.1Q
  localparam logic [15:0] EtherTypeIpv6 = 16'd34525;  // RFC 8200
  localparam logic [15:0] EtherTypeRoceV1 = 16'd35093;  // RoCE v1: a GRH and the BTH follow (A16)

  localparam logic [15:0] IpUdp = 16'd17;  // IP protocol or next header of UDP
  localparam logic [15:0] GrhBth = 16'd27;  // Next header of a GRH: the BTH follows (8.3.5)
  localparam logic [15:0] RoceUdpPort = 16'd4791;  // UDP destination port of RoCE v2 (A17)

  localparam logic [7:0] WrOpSend = 8'd0;  // SEND
  localparam logic [7:0] WrOpSendImm = 8'd1;  // SEND with immediate
  localparam logic [7:0] WrOpWrite = 8'd2;  // RDMA WRITE
  localparam logic [7:0] WrOpWriteImm = 8'd3;  // RDMA WRITE with immediate
  localparam logic [7:0] WrOpRead = 8'd4;  // RDMA READ
  localparam logic [7:0] WrOpCmpSwap = 8'd5;  // Atomic compare and swap
  localparam logic [7:0] WrOpFetchAdd = 8'd6;  // Atomic fetch and add
  localparam logic [7:0] WrOpSendInv = 8'd7;  // SEND with invalidate; `imm` of the WQE is the key
  localparam logic [7:0] WrOpLocalInv = 8'd8;  // Local invalidate of `rkey` (10.6.7)
  localparam logic [7:0] WrOpBindMw = 8'd9;  // Bind a memory window, see docs/queues.md
  localparam logic [7:0] WrOpRegMr = 8'd10;  // Fast registration, see docs/queues.md

  localparam logic [7:0] StatusSuccess = 8'd0;  // All data moved
  localparam logic [7:0] StatusLocLenErr = 8'd1;  // Receive too small, message too long, or READ response of a wrong length
  localparam logic [7:0] StatusLocQpOpErr = 8'd2;  // Work request malformed for the queue pair
  localparam logic [7:0] StatusLocProtErr = 8'd4;  // Local key, bounds or rights
  localparam logic [7:0] StatusWrFlushErr = 8'd5;  // Flushed: the queue pair is in error
  localparam logic [7:0] StatusMwBindErr = 8'd6;  // Bind rejected: rights, range or owner of the region, or the window is bound
  localparam logic [7:0] StatusBadRespErr = 8'd7;  // Response with an impossible opcode or syndrome
  localparam logic [7:0] StatusLocAccessErr = 8'd8;  // Responder: remote access error on a request that holds a receive
  localparam logic [7:0] StatusRemInvReqErr = 8'd9;  // Peer sent NAK invalid request
  localparam logic [7:0] StatusRemAccessErr = 8'd10;  // Peer sent NAK remote access error
  localparam logic [7:0] StatusRemOpErr = 8'd11;  // Peer sent NAK remote operational error
  localparam logic [7:0] StatusRetryExcErr = 8'd12;  // Transport retries ran out
  localparam logic [7:0] StatusRnrRetryExcErr = 8'd13;  // RNR retries ran out
  localparam logic [7:0] StatusFatalErr = 8'd19;  // Adapter error, such as a failed DMA

  localparam logic [7:0] WcOpSend = 8'd0;  // SEND
  localparam logic [7:0] WcOpWrite = 8'd1;  // RDMA WRITE
  localparam logic [7:0] WcOpRead = 8'd2;  // RDMA READ
  localparam logic [7:0] WcOpCmpSwap = 8'd3;  // Compare and swap
  localparam logic [7:0] WcOpFetchAdd = 8'd4;  // Fetch and add
  localparam logic [7:0] WcOpBindMw = 8'd5;  // Bind of a memory window
  localparam logic [7:0] WcOpLocalInv = 8'd6;  // Local invalidate
  localparam logic [7:0] WcOpRegMr = 8'd8;  // Fast registration; no number of libibverbs
  localparam logic [7:0] WcOpRecv = 8'd128;  // Receive of a SEND
  localparam logic [7:0] WcOpRecvWriteImm = 8'd129;  // Receive of an RDMA WRITE with immediate

  localparam logic [2:0] QpReset = 3'd0;  // Not in use
  localparam logic [2:0] QpInit = 3'd1;  // Receives may be posted
  localparam logic [2:0] QpRtr = 3'd2;  // Ready to receive
  localparam logic [2:0] QpRts = 3'd3;  // Ready to send
  localparam logic [2:0] QpSqd = 3'd4;  // Send queue drained
  localparam logic [2:0] QpSqe = 3'd5;  // UC and UD: sends flush, receives go on
  localparam logic [2:0] QpErr = 3'd6;  // Error: everything flushes

  localparam logic [1:0] ServiceRc = 2'd0;  // Reliable connection
  localparam logic [1:0] ServiceUc = 2'd1;  // Unreliable connection
  localparam logic [1:0] ServiceUd = 2'd2;  // Unreliable datagram

  localparam logic [2:0] OptionAtomics = 3'd0;  // Atomics, as requester and as responder
  localparam logic [2:0] OptionKeyOps = 3'd1;  // Memory windows, fast regions, and invalidation of keys by work requests and peers
  localparam logic [2:0] OptionSrq = 3'd2;  // Shared receive queues
  localparam logic [2:0] OptionQpCounters = 3'd3;  // Counters of each queue pair
  localparam logic [2:0] OptionNetworks = 3'd4;  // RoCE over IPv6, RoCE v1 and VLAN tags
  localparam logic [2:0] OptionPosts = 3'd5;  // Work requests that come with their doorbell

  localparam logic [2:0] AethAck = 3'd0;  // Acknowledge; 4:0 credits
  localparam logic [2:0] AethRnr = 3'd1;  // Receiver not ready; 4:0 timer code
  localparam logic [2:0] AethNak = 3'd3;  // Negative; 4:0 code

  localparam logic [7:0] SynAckNoCredits = 8'd31;  // ACK, credits not used
  localparam logic [7:0] SynRnrNak = 8'd32;  // RNR NAK; the timer code is ORed in
  localparam logic [7:0] SynNakSequence = 8'd96;  // PSN sequence error
  localparam logic [7:0] SynNakInvalid = 8'd97;  // Invalid request
  localparam logic [7:0] SynNakAccess = 8'd98;  // Remote access error
  localparam logic [7:0] SynNakOperational = 8'd99;  // Remote operational error

  localparam logic [3:0] AccessLocalWrite = 4'd0;  // Bit: local write
  localparam logic [3:0] AccessRemoteWrite = 4'd1;  // Bit: remote write
  localparam logic [3:0] AccessRemoteRead = 4'd2;  // Bit: remote read
  localparam logic [3:0] AccessRemoteAtomic = 4'd3;  // Bit: remote atomic
  localparam logic [3:0] AccessMwBind = 4'd4;  // Bit: windows may be bound to the region
  localparam logic [3:0] AccessZeroBased = 4'd5;  // Bit: addresses of the window count from its start

  localparam logic [1:0] KeyKindRegion = 2'd0;  // Registered by a command
  localparam logic [1:0] KeyKindWindowType1 = 2'd1;  // Memory window, usable on every queue pair of its domain
  localparam logic [1:0] KeyKindWindowType2 = 2'd2;  // Memory window, usable on the queue pair that bound it (type 2B)
  localparam logic [1:0] KeyKindFastRegion = 2'd3;  // Registered by a work request

  localparam logic [1:0] KeyOpInvalidate = 2'd0;  // Free the key (10.6.7): type 2 windows and fast regions
  localparam logic [1:0] KeyOpBind = 2'd1;  // Bind a window to a range of a region
  localparam logic [1:0] KeyOpRegister = 2'd2;  // Give a fast region its range

  localparam logic [3:0] DropIcrc = 4'd0;  // RoCE frame with a wrong ICRC
  localparam logic [3:0] DropMalformed = 4'd1;  // Lengths, IP or UDP checksum, TVer, pad or options wrong
  localparam logic [3:0] DropOverflow = 4'd2;  // Receive buffer full
  localparam logic [3:0] DropUnknownQp = 4'd3;  // Queue pair not in use, or in a state that accepts no such packet
  localparam logic [3:0] DropAddress = 4'd4;  // Source or destination address is not the connection's
  localparam logic [3:0] DropPkey = 4'd5;  // Partition key does not match
  localparam logic [3:0] DropOpcode = 4'd6;  // Opcode of another transport, reserved, or not allowed
  localparam logic [3:0] DropGhost = 4'd7;  // Response outside the outstanding window
  localparam logic [3:0] DropDuplicate = 4'd8;  // Duplicate request that gets no response
  localparam logic [3:0] DropOutOfSequence = 4'd9;  // Request ahead of the expected PSN, beyond the one that was NAKed

  localparam logic [7:0] EventCompletion = 8'd1;  // A CQ that was armed got an entry; `number` is the CQ
  localparam logic [7:0] EventCqError = 8'd2;  // A CQ overflowed; `number` is the CQ
  localparam logic [7:0] EventQpFatal = 8'd3;  // The adapter moved the queue pair to ERR; `number` is the QP
  localparam logic [7:0] EventQpRequest = 8'd4;  // Responder sent NAK invalid request; `number` is the QP
  localparam logic [7:0] EventQpAccess = 8'd5;  // Responder sent NAK remote access error; `number` is the QP
  localparam logic [7:0] EventCommEst = 8'd6;  // First request arrived in RTR; `number` is the QP
  localparam logic [7:0] EventSqDrained = 8'd7;  // Send queue drained; `number` is the QP
  localparam logic [7:0] EventSrqLimit = 8'd8;  // Receives in an SRQ fell below its limit; `number` is the SRQ
  localparam logic [7:0] EventQpLastWqe = 8'd9;  // QP in error takes no more receives from its SRQ; `number` is the QP
  localparam logic [7:0] EventSrqError = 8'd10;  // A receive of an SRQ could not be read; `number` is the SRQ

  localparam logic [7:0] VendorErrNone = 8'd0;  // Success, flushed, or the status is the whole cause
  localparam logic [7:0] VendorErrLocalKey = 8'd1;  // Key, bounds or rights of the send list
  localparam logic [7:0] VendorErrLocalLength = 8'd2;  // List shorter than the message, message too long, atomic not of 8 bytes
  localparam logic [7:0] VendorErrLocalFormat = 8'd3;  // Opcode, list or inline data of the work request
  localparam logic [7:0] VendorErrLocalFetch = 8'd4;  // Work request could not be read
  localparam logic [7:0] VendorErrNoDepth = 8'd5;  // READ or atomic while max_rd_atomic is 0
  localparam logic [7:0] VendorErrKeyOperation = 8'd6;  // Local invalidate, bind or registration was rejected
  localparam logic [7:0] VendorErrPayload = 8'd7;  // Payload of a SEND or WRITE could not be read
  localparam logic [7:0] VendorErrAddressHandle = 8'd8;  // UD: no such address handle in the protection domain
  localparam logic [7:0] VendorErrResponseKind = 8'd16;  // Response of a kind that does not fit the request
  localparam logic [7:0] VendorErrResponseLength = 8'd17;  // READ response of a wrong length
  localparam logic [7:0] VendorErrResponseSyndrome = 8'd18;  // Reserved syndrome, or a NAK code that RC does not have
  localparam logic [7:0] VendorErrPlaceKey = 8'd19;  // Key, bounds or rights where READ data or an atomic result goes
  localparam logic [7:0] VendorErrPlaceFetch = 8'd20;  // Work request of a READ could not be fetched for its response
  localparam logic [7:0] VendorErrRetryTimeout = 8'd32;  // Last retry ended by the timer
  localparam logic [7:0] VendorErrRetrySequence = 8'd33;  // Last retry ended by a NAK sequence error
  localparam logic [7:0] VendorErrRetryImplied = 8'd34;  // Last retry ended by a response that skipped a READ or atomic
  localparam logic [7:0] VendorErrRetryRnr = 8'd35;  // Last RNR retry ended by an RNR NAK
  localparam logic [7:0] VendorErrPeerNak = 8'd48;  // The peer NAKed the request

  localparam logic [1:0] QpEventInitRequester = 2'd0;  // Entering RTS from RTR: take the SQ PSN, forget the old generation
  localparam logic [1:0] QpEventInitResponder = 2'd1;  // Entering RTR: take the RQ PSN, forget the old generation
  localparam logic [1:0] QpEventFlush = 2'd2;  // Entering ERR or SQE: complete every posted work request with a flush
  localparam logic [1:0] QpEventResume = 2'd3;  // From SQE to RTS: send what is posted from now on

  localparam logic [7:0] FailSends = 8'd0;  // UC: the queue pair goes to SQE, its receives go on, and no event is raised

  localparam logic [2:0] SchedState = 3'd0;  // State row
  localparam logic [2:0] SchedCommand = 3'd1;  // A generation begins, or is flushed
  localparam logic [2:0] SchedSet = 3'd2;  // Pointer of the requester
  localparam logic [2:0] SchedSegment = 3'd3;  // Pointer of the segmenter: end of a grant
  localparam logic [2:0] SchedBell = 3'd4;  // Doorbell
  localparam logic [2:0] SchedGrant = 3'd5;  // Head of the ready queue

  localparam logic [1:0] MessageData = 2'd0;  // SEND or WRITE
  localparam logic [1:0] MessageRead = 2'd1;  // READ
  localparam logic [1:0] MessageAtomic = 2'd2;  // Atomic
  localparam logic [1:0] MessageError = 2'd3;  // Completes with `status` when it is the oldest

  localparam logic [2:0] AskNone = 3'd0;  // Nothing
  localparam logic [2:0] AskRecover = 3'd1;  // Return to the oldest unacknowledged PSN: a gap
  localparam logic [2:0] AskRnr = 3'd2;  // Return to that PSN after the RNR delay
  localparam logic [2:0] AskFatal = 3'd3;  // The peer NAKed the request: it fails
  localparam logic [2:0] AskSyndrome = 3'd4;  // A syndrome that is reserved for RC
  localparam logic [2:0] AskData = 3'd5;  // Place data of a READ
  localparam logic [2:0] AskAtomic = 3'd6;  // Place the result of an atomic

  localparam logic [3:0] RequesterIdle = 4'd0;  // Wait for an event
  localparam logic [3:0] RequesterCompare = 4'd1;  // Compare the oldest message with what a response acknowledges
  localparam logic [3:0] RequesterPlan = 4'd2;  // Send the packet of a plan, or drop the plan
  localparam logic [3:0] RequesterOperate = 4'd3;  // Request a key operation
  localparam logic [3:0] RequesterOperating = 4'd4;  // Wait for its response
  localparam logic [3:0] RequesterOperated = 4'd5;  // Complete the work request of the key operation
  localparam logic [3:0] RequesterRetire = 4'd6;  // Complete what a response acknowledges
  localparam logic [3:0] RequesterAct = 4'd7;  // Act on its ResponseAsk
  localparam logic [3:0] RequesterPlace = 4'd8;  // Look up the memory for its data
  localparam logic [3:0] RequesterPlaced = 4'd9;  // The memory for its data is known
  localparam logic [3:0] RequesterRecover = 4'd10;  // Return to the oldest unacknowledged PSN
  localparam logic [3:0] RequesterFail = 4'd11;  // Complete with an error
  localparam logic [3:0] RequesterFlush = 4'd12;  // Complete the outstanding work requests as flushed
  localparam logic [3:0] RequesterEnd = 4'd13;  // End the event of a response
  localparam logic [3:0] RequesterHandle = 4'd14;  // Timers, commands, and responses outside of the window
  localparam logic [3:0] RequesterDone = 4'd15;  // End an event whose last step took long to know that it was the last

  localparam logic [1:0] ResponderInNothing = 2'd0;  // Between messages
  localparam logic [1:0] ResponderInSend = 2'd1;  // SEND
  localparam logic [1:0] ResponderInWrite = 2'd2;  // RDMA WRITE

  localparam logic [1:0] ResponderAckNone = 2'd0;  // Nothing
  localparam logic [1:0] ResponderAckAck = 2'd1;  // ACK, when the payload is in memory
  localparam logic [1:0] ResponderAckNak = 2'd2;  // NAK or RNR NAK, at once
  localparam logic [1:0] ResponderAckFatal = 2'd3;  // NAK that ends the connection; sent even in ERR

  localparam logic [3:0] VerdictIgnore = 4'd0;  // Queue pair has failed: no response
  localparam logic [3:0] VerdictAhead = 4'd1;  // After a gap that was NAKed before: no response
  localparam logic [3:0] VerdictGap = 4'd2;  // First request after a gap: NAK sequence error
  localparam logic [3:0] VerdictReack = 4'd3;  // Duplicate SEND or WRITE: repeat the ACK
  localparam logic [3:0] VerdictReplay = 4'd4;  // Duplicate READ or atomic: find its replay slot
  localparam logic [3:0] VerdictPeek = 4'd5;  // Uses a receive: check that one is posted
  localparam logic [3:0] VerdictRnr = 4'd6;  // No receive: RNR NAK
  localparam logic [3:0] VerdictNak = 4'd7;  // Violates a rule: NAK, and the connection ends
  localparam logic [3:0] VerdictDiscard = 4'd8;  // UC: the message is dropped, and its receive serves the next one
  localparam logic [3:0] VerdictSend = 4'd9;  // Execute
  localparam logic [3:0] VerdictWrite = 4'd10;  // Execute
  localparam logic [3:0] VerdictRead = 4'd11;  // Execute
  localparam logic [3:0] VerdictAtomic = 4'd12;  // Execute

  localparam logic [2:0] ResponderKindEvent = 3'd0;  // A change of state
  localparam logic [2:0] ResponderKindResult = 3'd1;  // An atomic is done
  localparam logic [2:0] ResponderKindLive = 3'd2;  // Firmware reads the live state
  localparam logic [2:0] ResponderKindRequest = 3'd3;  // A packet
  localparam logic [2:0] ResponderKindStep = 3'd4;  // A step of a response, or of a flush
  localparam logic [2:0] ResponderKindFault = 3'd5;  // Memory could not be written or read

  localparam logic [1:0] ReceiveOpPeek = 2'd0;  // Report the oldest receive
  localparam logic [1:0] ReceiveOpFree = 2'd1;  // The oldest receive has been used
  localparam logic [1:0] ReceiveOpInit = 2'd2;  // Entering RTR: start fetching
  localparam logic [1:0] ReceiveOpFlush = 2'd3;  // Entering ERR: stop fetching, report receives posted from now on

  localparam logic [1:0] AtomicOpStore = 2'd0;  // Write the operand: result of an atomic of this side
  localparam logic [1:0] AtomicOpCmpSwap = 2'd1;  // Compare and swap
  localparam logic [1:0] AtomicOpFetchAdd = 2'd2;  // Fetch and add

  localparam logic [1:0] TimerOpStart = 2'd0;  // Run for the transport timeout unless the timer is running
  localparam logic [1:0] TimerOpRestart = 2'd1;  // Run for the transport timeout from now
  localparam logic [1:0] TimerOpStop = 2'd2;  // Nothing outstanding (a Start since expiry wins)
  localparam logic [1:0] TimerOpRnr = 2'd3;  // Run for the RNR time of `code` from now

  localparam logic [2:0] CqOpEntry = 3'd0;  // Write an entry
  localparam logic [2:0] CqOpConsumer = 3'd1;  // Doorbell: consumer index
  localparam logic [2:0] CqOpArm = 3'd2;  // Doorbell: arm
  localparam logic [2:0] CqOpRestart = 3'd3;  // A row was written
  localparam logic [2:0] CqOpPeriod = 3'd4;  // A moderation period ended
  localparam logic [2:0] CqOpLive = 3'd5;  // Read the ring
  localparam logic [2:0] CqOpBreak = 3'd6;  // An entry did not reach memory

  localparam logic [1:0] CqArmedNo = 2'd0;  // Not armed
  localparam logic [1:0] CqArmedSolicited = 2'd1;  // For solicited entries and errors
  localparam logic [1:0] CqArmedAny = 2'd2;  // For any entry

  localparam logic [3:0] TableQpAttr = 4'd0;  // Row of kQpAttr, write and read
  localparam logic [3:0] TableAv = 4'd1;  // Row of kAv, write only
  localparam logic [3:0] TableQpState = 4'd2;  // QpState in bits 2:0, write and read; a write acts
  localparam logic [3:0] TableKey = 4'd3;  // Row of kKey, write and read
  localparam logic [3:0] TableCq = 4'd4;  // Row of kCq, write and read; a write restarts the ring unless only moderation changes
  localparam logic [3:0] TableQpCounters = 4'd5;  // Eight 64-bit counters, read only, see QpCounter
  localparam logic [3:0] TableQpLive = 4'd6;  // Row of kQpLive, read only
  localparam logic [3:0] TableSrq = 4'd7;  // Row of kSrq, write and read
  localparam logic [3:0] TableSrqLive = 4'd8;  // Row of kSrqLive, read only
  localparam logic [3:0] TableCqLive = 4'd9;  // Row of kCqLive, read only
  localparam logic [3:0] TableQpService = 4'd10;  // Row of kQpService, write only; engines with UC or UD
  localparam logic [3:0] TableAh = 4'd11;  // Row of kAh by address handle, write only; engines with UD
  localparam logic [3:0] TableGid = 4'd12;  // Row of kGid, write only; engines with UD
  localparam logic [3:0] TableMulticast = 4'd13;  // Row of kMulticast by attachment, write only; engines with multicast

  localparam logic [2:0] QpCounterTxPackets = 3'd0;  // Packets sent
  localparam logic [2:0] QpCounterTxBytes = 3'd1;  // Payload bytes sent
  localparam logic [2:0] QpCounterRxPackets = 3'd2;  // Packets accepted
  localparam logic [2:0] QpCounterRxBytes = 3'd3;  // Payload bytes accepted
  localparam logic [2:0] QpCounterRetries = 3'd4;  // Returns to an earlier PSN
  localparam logic [2:0] QpCounterTimeouts = 3'd5;  // Retries caused by the timer
  localparam logic [2:0] QpCounterNaksSent = 3'd6;  // NAKs sent, RNR included
  localparam logic [2:0] QpCounterNaksReceived = 3'd7;  // NAKs received, RNR included

  localparam logic [7:0] PortCounterDropFirst = 8'd0;  // Drop causes, see DropCause
  localparam logic [7:0] PortCounterRxFrames = 8'd10;  // Frames received from the MAC
  localparam logic [7:0] PortCounterRxBytes = 8'd11;  // Bytes received from the MAC
  localparam logic [7:0] PortCounterTxFrames = 8'd12;  // Frames sent to the MAC
  localparam logic [7:0] PortCounterTxBytes = 8'd13;  // Bytes sent to the MAC
  localparam logic [7:0] PortCounterRxRoce = 8'd14;  // RoCE packets accepted by the transport
  localparam logic [7:0] PortCounterRxEthernet = 8'd15;  // Frames handed to the Ethernet path or to firmware
  localparam logic [7:0] PortCounterQkeyViolations = 8'd16;  // UD packets whose Q_Key is not the queue pair's (10.2.5)
  localparam logic [7:0] PortCounterDiscards = 8'd17;  // UC and UD packets that were accepted and not delivered

  localparam logic [15:0] AdminOpQueryDevice = 16'd1;  // Limits of the adapter
  localparam logic [15:0] AdminOpQueryPort = 16'd2;  // State, MTU, MAC
  localparam logic [15:0] AdminOpSetGid = 16'd3;  // Writes an entry of the GID table; the zero GID clears it
  localparam logic [15:0] AdminOpQueryGid = 16'd4;  // Reads an entry of the GID table
  localparam logic [15:0] AdminOpCreateCq = 16'd5;  // Makes a completion queue on memory of the caller
  localparam logic [15:0] AdminOpModifyCq = 16'd6;  // Completion moderation
  localparam logic [15:0] AdminOpDestroyCq = 16'd7;  // Rejected while a queue pair uses it
  localparam logic [15:0] AdminOpCreateQp = 16'd8;  // Makes a queue pair in RESET on memory of the caller
  localparam logic [15:0] AdminOpModifyQp = 16'd9;  // State and attributes, by the rules of 11.2.5.2
  localparam logic [15:0] AdminOpQueryQp = 16'd10;  // State and attributes
  localparam logic [15:0] AdminOpDestroyQp = 16'd11;  // Returns when no access of it can follow
  localparam logic [15:0] AdminOpRegMr = 16'd12;  // Registers a region
  localparam logic [15:0] AdminOpDeregMr = 16'd13;  // Returns when no access through it can follow
  localparam logic [15:0] AdminOpResolveAddress = 16'd14;  // MAC address of a GID, by ARP or neighbour discovery
  localparam logic [15:0] AdminOpAllocPd = 16'd15;  // Makes a protection domain
  localparam logic [15:0] AdminOpDeallocPd = 16'd16;  // Rejected while an object of the domain exists
  localparam logic [15:0] AdminOpQueryCounters = 16'd17;  // Counters of the port or of a queue pair
  localparam logic [15:0] AdminOpAllocMw = 16'd18;  // Makes a memory window, unbound
  localparam logic [15:0] AdminOpDeallocMw = 16'd19;  // Returns when no access through it can follow
  localparam logic [15:0] AdminOpAllocFastMr = 16'd20;  // Makes a region for RegMr work requests, free
  localparam logic [15:0] AdminOpCreateSrq = 16'd21;  // Makes a shared receive queue on memory of the caller
  localparam logic [15:0] AdminOpModifySrq = 16'd22;  // Arms the limit event
  localparam logic [15:0] AdminOpQuerySrq = 16'd23;  // Limit and fill
  localparam logic [15:0] AdminOpDestroySrq = 16'd24;  // Rejected while a queue pair uses it
  localparam logic [15:0] AdminOpResizeCq = 16'd25;  // Moves the unread entries to another ring (11.2.6.3)
  localparam logic [15:0] AdminOpSetPkey = 16'd26;  // Writes an entry of the P_Key table
  localparam logic [15:0] AdminOpQueryPkey = 16'd27;  // Reads an entry of the P_Key table
  localparam logic [15:0] AdminOpReregMr = 16'd28;  // Changes domain, rights or range of a region
  localparam logic [15:0] AdminOpCreateAh = 16'd29;  // Makes an address handle; resolves its address
  localparam logic [15:0] AdminOpDestroyAh = 16'd30;  // Returns when no send that names it is in progress
  localparam logic [15:0] AdminOpAttachMulticast = 16'd31;  // Attaches a UD queue pair to a group; again: the same attachment
  localparam logic [15:0] AdminOpDetachMulticast = 16'd32;  // Returns when no datagram of the group is delivered any more

  localparam logic [15:0] AdminStatusOk = 16'd0;  // Done
  localparam logic [15:0] AdminStatusBadOpcode = 16'd1;  // No such command
  localparam logic [15:0] AdminStatusBadHandle = 16'd2;  // No such queue pair, CQ, key, PD or GID index
  localparam logic [15:0] AdminStatusBadParameter = 16'd3;  // A value out of range, or an address not aligned
  localparam logic [15:0] AdminStatusBadState = 16'd4;  // Transition or attribute not allowed in this state
  localparam logic [15:0] AdminStatusNoResource = 16'd5;  // Table full
  localparam logic [15:0] AdminStatusBusy = 16'd6;  // In use by something else
  localparam logic [15:0] AdminStatusUnreachable = 16'd7;  // Address did not resolve
  localparam logic [15:0] AdminStatusHardwareError = 16'd8;  // DMA of firmware failed
  localparam logic [15:0] AdminStatusUnsupported = 16'd9;  // The engine does not have it

  localparam logic [7:0] QpMaskState = 8'd0;
  localparam logic [7:0] QpMaskCurState = 8'd1;
  localparam logic [7:0] QpMaskEnSqdAsyncNotify = 8'd2;
  localparam logic [7:0] QpMaskAccessFlags = 8'd3;
  localparam logic [7:0] QpMaskPkeyIndex = 8'd4;
  localparam logic [7:0] QpMaskPort = 8'd5;
  localparam logic [7:0] QpMaskQkey = 8'd6;
  localparam logic [7:0] QpMaskAv = 8'd7;
  localparam logic [7:0] QpMaskPathMtu = 8'd8;
  localparam logic [7:0] QpMaskTimeout = 8'd9;
  localparam logic [7:0] QpMaskRetryCnt = 8'd10;
  localparam logic [7:0] QpMaskRnrRetry = 8'd11;
  localparam logic [7:0] QpMaskRqPsn = 8'd12;
  localparam logic [7:0] QpMaskMaxQpRdAtomic = 8'd13;
  localparam logic [7:0] QpMaskMinRnrTimer = 8'd15;
  localparam logic [7:0] QpMaskSqPsn = 8'd16;
  localparam logic [7:0] QpMaskMaxDestRdAtomic = 8'd17;
  localparam logic [7:0] QpMaskDestQpn = 8'd20;

  localparam logic [7:0] OpRcSendFirst = 8'h00;
  localparam logic [7:0] OpRcSendMiddle = 8'h01;
  localparam logic [7:0] OpRcSendLast = 8'h02;
  localparam logic [7:0] OpRcSendLastImm = 8'h03;
  localparam logic [7:0] OpRcSendOnly = 8'h04;
  localparam logic [7:0] OpRcSendOnlyImm = 8'h05;
  localparam logic [7:0] OpRcWriteFirst = 8'h06;
  localparam logic [7:0] OpRcWriteMiddle = 8'h07;
  localparam logic [7:0] OpRcWriteLast = 8'h08;
  localparam logic [7:0] OpRcWriteLastImm = 8'h09;
  localparam logic [7:0] OpRcWriteOnly = 8'h0A;
  localparam logic [7:0] OpRcWriteOnlyImm = 8'h0B;
  localparam logic [7:0] OpRcReadRequest = 8'h0C;
  localparam logic [7:0] OpRcReadRespFirst = 8'h0D;
  localparam logic [7:0] OpRcReadRespMiddle = 8'h0E;
  localparam logic [7:0] OpRcReadRespLast = 8'h0F;
  localparam logic [7:0] OpRcReadRespOnly = 8'h10;
  localparam logic [7:0] OpRcAck = 8'h11;
  localparam logic [7:0] OpRcAtomicAck = 8'h12;
  localparam logic [7:0] OpRcCmpSwap = 8'h13;
  localparam logic [7:0] OpRcFetchAdd = 8'h14;
  localparam logic [7:0] OpRcSendLastInv = 8'h16;
  localparam logic [7:0] OpRcSendOnlyInv = 8'h17;
  localparam logic [7:0] OpUcSendFirst = 8'h20;
  localparam logic [7:0] OpUcSendMiddle = 8'h21;
  localparam logic [7:0] OpUcSendLast = 8'h22;
  localparam logic [7:0] OpUcSendLastImm = 8'h23;
  localparam logic [7:0] OpUcSendOnly = 8'h24;
  localparam logic [7:0] OpUcSendOnlyImm = 8'h25;
  localparam logic [7:0] OpUcWriteFirst = 8'h26;
  localparam logic [7:0] OpUcWriteMiddle = 8'h27;
  localparam logic [7:0] OpUcWriteLast = 8'h28;
  localparam logic [7:0] OpUcWriteLastImm = 8'h29;
  localparam logic [7:0] OpUcWriteOnly = 8'h2A;
  localparam logic [7:0] OpUcWriteOnlyImm = 8'h2B;
  localparam logic [7:0] OpUdSendOnly = 8'h64;
  localparam logic [7:0] OpUdSendOnlyImm = 8'h65;
  localparam logic [7:0] OpCnp = 8'h81;

  // Bytes of extension headers of an RC opcode; 31 for a reserved one.
  function automatic logic [4:0] ext_bytes(input logic [4:0] operation);
    case (operation)
      5'd0: ext_bytes = 5'd0;
      5'd1: ext_bytes = 5'd0;
      5'd2: ext_bytes = 5'd0;
      5'd3: ext_bytes = 5'd4;
      5'd4: ext_bytes = 5'd0;
      5'd5: ext_bytes = 5'd4;
      5'd6: ext_bytes = 5'd16;
      5'd7: ext_bytes = 5'd0;
      5'd8: ext_bytes = 5'd0;
      5'd9: ext_bytes = 5'd4;
      5'd10: ext_bytes = 5'd16;
      5'd11: ext_bytes = 5'd20;
      5'd12: ext_bytes = 5'd16;
      5'd13: ext_bytes = 5'd4;
      5'd14: ext_bytes = 5'd0;
      5'd15: ext_bytes = 5'd4;
      5'd16: ext_bytes = 5'd4;
      5'd17: ext_bytes = 5'd4;
      5'd18: ext_bytes = 5'd12;
      5'd19: ext_bytes = 5'd28;
      5'd20: ext_bytes = 5'd28;
      5'd22: ext_bytes = 5'd4;
      5'd23: ext_bytes = 5'd4;
      default: ext_bytes = 5'd31;
    endcase
  endfunction

  localparam logic [21:0] RegId = 22'h0;
  localparam logic [21:0] RegVersion = 22'h4;
  localparam logic [21:0] RegParameters = 22'h8;
  localparam logic [21:0] RegParameters2 = 22'h18;
  localparam logic [21:0] RegParameters3 = 22'h1C;
  localparam logic [21:0] RegControl = 22'hC;
  localparam logic [21:0] RegTimeLo = 22'h10;
  localparam logic [21:0] RegTimeHi = 22'h14;
  localparam logic [21:0] RegAdminBaseLo = 22'h20;
  localparam logic [21:0] RegAdminBaseHi = 22'h24;
  localparam logic [21:0] RegAdminReplyLo = 22'h28;
  localparam logic [21:0] RegAdminReplyHi = 22'h2C;
  localparam logic [21:0] RegAdminSize = 22'h30;
  localparam logic [21:0] RegAdminDoorbell = 22'h34;
  localparam logic [21:0] RegAdminDone = 22'h38;
  localparam logic [21:0] RegEqBaseLo = 22'h40;
  localparam logic [21:0] RegEqBaseHi = 22'h44;
  localparam logic [21:0] RegEqSize = 22'h48;
  localparam logic [21:0] RegEqConsumer = 22'h4C;
  localparam logic [21:0] RegEqStatus = 22'h50;
  localparam logic [21:0] RegAttention = 22'h1000;
  localparam logic [21:0] RegTableCommand = 22'h1010;
  localparam logic [21:0] RegFenceCommand = 22'h1014;
  localparam logic [21:0] RegEngineEvent = 22'h1018;
  localparam logic [21:0] RegEventPost = 22'h101C;
  localparam logic [21:0] RegDmaAddressLo = 22'h1020;
  localparam logic [21:0] RegDmaAddressHi = 22'h1024;
  localparam logic [21:0] RegDmaCommand = 22'h1028;
  localparam logic [21:0] RegTxFrameCommand = 22'h1030;
  localparam logic [21:0] RegRxFrameStatus = 22'h1034;
  localparam logic [21:0] RegRxFramePop = 22'h1038;
  localparam logic [21:0] RegMacLo = 22'h1040;
  localparam logic [21:0] RegMacHi = 22'h1044;
  localparam logic [21:0] RegCounterSelect = 22'h1050;
  localparam logic [21:0] RegCounterLo = 22'h1054;
  localparam logic [21:0] RegCounterHi = 22'h1058;
  localparam logic [21:0] WinTableData = 22'h1100;
  localparam logic [21:0] WinDmaData = 22'h1140;
  localparam logic [21:0] WinTxFrameData = 22'h2000;
  localparam logic [21:0] WinRxFrameData = 22'h3000;
  localparam logic [21:0] WinQpDoorbell = 22'h100000;
  localparam logic [21:0] WinCqDoorbell = 22'h180000;
  localparam logic [21:0] WinQpPost = 22'h200000;
  localparam int unsigned RegisterAddressBits = 22;
  localparam int unsigned BlockBytes = 64;
  localparam int unsigned MaxSge = 13;
  localparam int unsigned MaxInline = 192;
  localparam int unsigned RowBits = 512;

  localparam int unsigned EthernetBits = 112;
  typedef struct packed {
    logic [47:0]  dst_mac;             // Destination address
    logic [47:0]  src_mac;             // Source address
    logic [15:0]  ethertype;           // 0x0800 IPv4, 0x86DD IPv6, 0x8915 RoCE v1, 0x8100 a VLAN tag follows
  } ethernet_t;

  localparam int unsigned VlanBits = 32;
  typedef struct packed {
    logic [2:0]   pcp;                 // Priority code point
    logic         dei;                 // Drop eligible
    logic [11:0]  vid;                 // VLAN identifier
    logic [15:0]  ethertype;           // EtherType of what follows the tag
  } vlan_t;

  localparam int unsigned Ipv4Bits = 160;
  typedef struct packed {
    logic [3:0]   version;             // 4
    logic [3:0]   ihl;                 // Header length in 32-bit words, 5: no options
    logic [7:0]   tos;                 // DSCP and ECN; the traffic class of the address vector
    logic [15:0]  total_length;        // Bytes from this header to the ICRC
    logic [15:0]  identification;      // Free; covered by the ICRC as sent
    logic [2:0]   flags;               // 2: do not fragment
    logic [12:0]  fragment_offset;     // 0
    logic [7:0]   ttl;                 // Hop limit of the address vector
    logic [7:0]   protocol;            // 17: UDP
    logic [15:0]  checksum;            // Ones-complement sum over this header
    logic [31:0]  src_ip;              // Source address
    logic [31:0]  dst_ip;              // Destination address
  } ipv4_t;

  localparam int unsigned Ipv6Bits = 320;
  typedef struct packed {
    logic [3:0]   version;             // 6
    logic [7:0]   traffic_class;       // DSCP and ECN
    logic [19:0]  flow_label;          // Flow label of the address vector
    logic [15:0]  payload_length;      // Bytes from the UDP header to the ICRC
    logic [7:0]   next_header;         // 17: UDP
    logic [7:0]   hop_limit;           // Hop limit of the address vector
    logic [127:0] src_ip;              // Source address
    logic [127:0] dst_ip;              // Destination address
  } ipv6_t;

  localparam int unsigned UdpBits = 64;
  typedef struct packed {
    logic [15:0]  src_port;            // 0xC000 to 0xFFFF, constant for a queue pair
    logic [15:0]  dst_port;            // 4791: RoCE v2
    logic [15:0]  length;              // Bytes from this header to the ICRC
    logic [15:0]  checksum;            // Sent as 0
  } udp_t;

  localparam int unsigned BthBits = 96;
  typedef struct packed {
    logic [7:0]   opcode;              // Transport service (7:5) and operation (4:0)
    logic         solicited;           // Raise an event at the receiver when the message completes
    logic         mig_req;             // Migration state, sent 1 (migrated), ignored when received
    logic [1:0]   pad_count;           // Bytes of padding after the payload, 0 to 3
    logic [3:0]   version;             // Transport header version, 0
    logic [15:0]  pkey;                // Partition key
    logic         fecn;                // Forward congestion seen
    logic         becn;                // Backward congestion notified
    logic [5:0]   reserved6;           // 0 when sent, ignored when received, outside the ICRC
    logic [23:0]  dest_qp;             // Queue pair at the receiver
    logic         ack_req;             // The sender requests an acknowledge packet
    logic [6:0]   reserved7;           // 0 when sent, ignored when received
    logic [23:0]  psn;                 // Packet sequence number
  } bth_t;

  localparam int unsigned RethBits = 128;
  typedef struct packed {
    logic [63:0]  va;                  // Remote virtual address
    logic [31:0]  rkey;                // Remote key
    logic [31:0]  dma_length;          // Length of the whole message in bytes
  } reth_t;

  localparam int unsigned AtomicEthBits = 224;
  typedef struct packed {
    logic [63:0]  va;                  // Remote virtual address, a multiple of 8
    logic [31:0]  rkey;                // Remote key
    logic [63:0]  swap_add;            // Swap or add operand
    logic [63:0]  compare;             // Compare operand
  } atomic_eth_t;

  localparam int unsigned AethBits = 32;
  typedef struct packed {
    logic [7:0]   syndrome;            // 7:5 kind (0 ACK, 1 RNR NAK, 3 NAK), 4:0 credits, timer code or NAK code
    logic [23:0]  msn;                 // Message sequence number
  } aeth_t;

  localparam int unsigned AtomicAckEthBits = 64;
  typedef struct packed {
    logic [63:0]  original;            // Content of the remote memory before the operation
  } atomic_ack_eth_t;

  localparam int unsigned ImmDtBits = 32;
  typedef struct packed {
    logic [31:0]  immediate;           // Immediate data
  } imm_dt_t;

  localparam int unsigned IethBits = 32;
  typedef struct packed {
    logic [31:0]  rkey;                // Remote key to invalidate
  } ieth_t;

  localparam int unsigned DethBits = 64;
  typedef struct packed {
    logic [31:0]  qkey;                // Queue key
    logic [7:0]   reserved;            // 0
    logic [23:0]  src_qp;              // Queue pair of the sender
  } deth_t;

  localparam int unsigned ArpBits = 224;
  typedef struct packed {
    logic [15:0]  hardware_type;       // 1: Ethernet
    logic [15:0]  protocol_type;       // 0x0800
    logic [7:0]   hardware_length;     // 6
    logic [7:0]   protocol_length;     // 4
    logic [15:0]  operation;           // 1 request, 2 reply
    logic [47:0]  sender_mac;          // Sender hardware address
    logic [31:0]  sender_ip;           // Sender protocol address
    logic [47:0]  target_mac;          // Target hardware address
    logic [31:0]  target_ip;           // Target protocol address
  } arp_t;

  localparam int unsigned WqeBits = 512;
  typedef struct packed {
    logic [31:0]  sge0_lkey;           // First scatter/gather entry: key
    logic [31:0]  sge0_length;         // First scatter/gather entry: bytes
    logic [63:0]  sge0_addr;           // First scatter/gather entry: address
    logic [63:0]  reserved2;           // 0
    logic [63:0]  compare;             // Compare operand
    logic [63:0]  swap_add;            // Swap or add operand
    logic [63:0]  remote_addr;         // Remote virtual address
    logic [31:0]  rkey;                // Remote key
    logic [31:0]  length;              // Bytes of the message, sum over the list, at most 2^31
    logic [31:0]  imm;                 // Immediate data as a number; SendInv: key to invalidate; receive of an SRQ: 15:0 tag
    logic [7:0]   reserved1;           // 0
    logic [7:0]   num_sge;             // Entries of the scatter/gather list
    logic [3:0]   reserved0;           // 0
    logic         inline_data;         // Payload stands in blocks 1 to 3 of this entry; num_sge is 0
    logic         fence;               // Start after all earlier READs and atomics
    logic         solicited;           // Solicited event at the receiver
    logic         signaled;            // Make a completion on success too
    logic [7:0]   opcode;              // WrOp
  } wqe_t;

  localparam int unsigned UdWqeBits = 512;
  typedef struct packed {
    logic [127:0] sge0;                // First scatter/gather entry
    logic [191:0] reserved2;           // 0
    logic [15:0]  reserved1;           // 0
    logic [15:0]  ah;                  // Address handle, of the protection domain of the queue pair
    logic [7:0]   reserved0;           // 0
    logic [23:0]  dest_qpn;            // Queue pair of the destination
    logic [31:0]  qkey;                // Q_Key of the destination; bit 31: the queue pair's own is sent instead
    logic [95:0]  head;                // As above: opcode to length
  } ud_wqe_t;

  localparam int unsigned SgeBits = 128;
  typedef struct packed {
    logic [31:0]  lkey;                // Local key
    logic [31:0]  length;              // Bytes; 0 is an empty entry
    logic [63:0]  addr;                // Virtual address of the region named by the key
  } sge_t;

  localparam int unsigned CqeBits = 256;
  typedef struct packed {
    logic         owner;               // Pass parity
    logic [27:0]  reserved2;           // 0
    logic         with_inv;            // imm is the key that the SEND invalidated
    logic         solicited;           // The sender requested an event
    logic         with_imm;            // imm is valid
    logic [63:0]  reserved1;           // 0
    logic [7:0]   vendor_err;          // Cause within the status, see docs/queues.md
    logic [23:0]  qpn;                 // Queue pair
    logic [31:0]  reserved0;           // 0
    logic [31:0]  imm;                 // Immediate data as a number, when with_imm; the key, when with_inv
    logic [31:0]  byte_len;            // Bytes received, or read, or 8 for an atomic
    logic [7:0]   opcode;              // WcOp; when status is not Success only bit 7 is defined: 1 of the receive queue
    logic [7:0]   status;              // Status
    logic [15:0]  wqe_index;           // Free-running index of the work request in its queue
  } cqe_t;

  localparam int unsigned UdCqeBits = 256;
  typedef struct packed {
    logic         owner;               // Pass parity
    logic [26:0]  reserved1;           // 0
    logic         with_grh;            // The buffer begins with a GRH, and src_qp is valid
    logic [98:0]  middle;              // As above: qpn to with_inv
    logic [7:0]   reserved0;           // 0
    logic [23:0]  src_qp;              // Queue pair of the sender
    logic [95:0]  head;                // As above: wqe_index to imm
  } ud_cqe_t;

  localparam int unsigned EqeBits = 128;
  typedef struct packed {
    logic [63:0]  reserved2;           // 0
    logic         owner;               // Pass parity
    logic [6:0]   reserved1;           // 0
    logic [23:0]  number;              // Queue pair, completion queue or SRQ
    logic [23:0]  reserved0;           // 0
    logic [7:0]   kind;                // Event
  } eqe_t;

  localparam int unsigned QpAttrBits = 307;
  typedef struct packed {
    logic         credits;             // AETHs carry credits (9.7.7.2); 0: code 31, no limit
    logic [15:0]  srqn;                // Shared receive queue
    logic         srq;                 // Receives come from the SRQ `srqn`; rq_* are not used
    logic [23:0]  rq_psn;              // First PSN expected
    logic [23:0]  sq_psn;              // First PSN sent
    logic [1:0]   rq_stride_log;       // log2 of blocks in an entry
    logic [3:0]   rq_log;              // log2 of receive queue entries, up to 15
    logic [63:0]  rq_base;             // Address of the receive queue, 4 KiB aligned
    logic [1:0]   sq_stride_log;       // log2 of blocks in an entry
    logic [3:0]   sq_log;              // log2 of send queue entries, up to 15
    logic [63:0]  sq_base;             // Address of the send queue, 4 KiB aligned
    logic [15:0]  recv_cqn;            // Completion queue of receives
    logic [15:0]  send_cqn;            // Completion queue of sends
    logic [4:0]   max_dest_rd_atomic;  // Replay slots used as responder, 0 to 16
    logic [4:0]   max_rd_atomic;       // READs and atomics outstanding as requester, 0 to 16
    logic [4:0]   min_rnr_timer;       // Timer code sent in RNR NAKs
    logic [4:0]   timeout;             // T = 4.096 us * 2^timeout; 0: no timer
    logic [2:0]   rnr_retry;           // RNR retries, 7 without end
    logic [2:0]   retry_cnt;           // Transport retries, 0 to 7
    logic [2:0]   pmtu;                // Path MTU code: 1 = 256 to 5 = 4096 bytes
    logic [3:0]   access;              // Remote operations allowed, bits as Access
    logic [19:0]  pasid;               // Address space of the queues
    logic [15:0]  pd;                  // Protection domain
  } qp_attr_t;

  localparam int unsigned AvBits = 463;
  typedef struct packed {
    logic         roce_v1;             // RoCE v1 (A16): EtherType 0x8915, a GRH in place of IP and UDP; `ipv6` is 1, the addresses are whole GIDs
    logic [23:0]  dest_qpn;            // Queue pair of the peer
    logic [15:0]  pkey;                // Partition key
    logic [15:0]  src_port;            // UDP source port
    logic [19:0]  flow_label;          // IPv6 flow label
    logic [7:0]   hop_limit;           // TTL or hop limit
    logic [7:0]   traffic_class;       // TOS or traffic class
    logic [15:0]  vlan_tci;            // PCP, DEI, VID
    logic         vlan;                // A tag is sent and required
    logic         ipv6;                // 1: IPv6, 0: IPv4
    logic [127:0] src_ip;              // Own; an IPv4 address in the low 32 bits
    logic [127:0] dst_ip;              // Peer; an IPv4 address in the low 32 bits
    logic [47:0]  src_mac;             // Own address
    logic [47:0]  dst_mac;             // Next hop
  } av_t;

  localparam int unsigned QpServiceBits = 34;
  typedef struct packed {
    logic [31:0]  qkey;                // UD: Q_Key of what is received, and of sends whose own has bit 31 set
    logic [1:0]   service;             // Service
  } qp_service_t;

  localparam int unsigned AhBits = 480;
  typedef struct packed {
    logic         valid;               // In use
    logic [15:0]  pd;                  // Protection domain
    logic [462:0] av;                  // As a row of kAv; `pkey` and `dest_qpn` are not used
  } ah_t;

  localparam int unsigned GidBits = 143;
  typedef struct packed {
    logic [11:0]  vid;                 // VLAN identifier
    logic         vlan;                // Frames have a tag
    logic         roce_v1;             // Frames of RoCE v1
    logic         valid;               // In use
    logic [127:0] gid;                 // First byte in the top bits
  } gid_t;

  localparam int unsigned MulticastBits = 154;
  typedef struct packed {
    logic         more;                // A search that comes here goes on with the next row
    logic         valid;               // In use
    logic [23:0]  qpn;                 // Queue pair
    logic [127:0] gid;                 // The group, as a row of kGid
  } multicast_t;

  localparam int unsigned KeyBits = 294;
  typedef struct packed {
    logic [23:0]  parent;              // A bound window: row of its region
    logic [23:0]  qpn;                 // WindowType2: queue pair that bound it
    logic         remote_only;         // A window: no local key
    logic [1:0]   kind;                // KeyKind
    logic [63:0]  addr;                // DMA address of the first byte
    logic [63:0]  length;              // Bytes
    logic [63:0]  iova;                // First address as work requests and peers name it
    logic [19:0]  pasid;               // Address space of the region
    logic [5:0]   access;              // Rights, bits as Access
    logic [15:0]  pd;                  // Protection domain
    logic [7:0]   variant;             // Low byte of the key
    logic         valid;               // Region is registered
  } key_t;

  localparam int unsigned CqBits = 123;
  typedef struct packed {
    logic         resize;              // Write only: the ring moves, indices and arming stay
    logic [15:0]  moderation_period;   // Event at the latest after this many us; 0: no moderation
    logic [15:0]  moderation_count;    // Event after this many completions; 0 or 1: each
    logic [4:0]   log;                 // log2 of entries, 1 to 16
    logic [63:0]  base;                // Address of the ring, 4 KiB aligned
    logic [19:0]  pasid;               // Address space of the ring
    logic         valid;               // In use
  } cq_t;

  localparam int unsigned SrqBits = 123;
  typedef struct packed {
    logic [15:0]  limit;               // Event when fewer receives are left; reads 0 once it fired
    logic [1:0]   stride_log;          // log2 of blocks in an entry
    logic [3:0]   log;                 // log2 of entries, up to 15
    logic [63:0]  base;                // Address of the ring, 4 KiB aligned
    logic [19:0]  pasid;               // Address space of the ring
    logic [15:0]  pd;                  // Protection domain
    logic         valid;               // In use
  } srq_t;

  localparam int unsigned QpStateBits = 3;
  typedef struct packed {
    logic [2:0]   state;               // QpState
  } qp_state_t;

  localparam int unsigned QpLiveBits = 113;
  typedef struct packed {
    logic         sq_idle;             // Nothing outstanding as requester
    logic [15:0]  sq_completed;        // Free-running index of the oldest send not completed
    logic [23:0]  msn;                 // Messages completed as responder
    logic [23:0]  sq_una_psn;          // Oldest PSN not acknowledged
    logic [23:0]  rq_psn;              // PSN expected
    logic [23:0]  sq_psn;              // Next PSN to send
  } qp_live_t;

  localparam int unsigned SrqLiveBits = 48;
  typedef struct packed {
    logic [15:0]  limit;               // Armed limit; 0: none
    logic [15:0]  consumer;            // Free-running index of the next receive to take
    logic [15:0]  producer;            // Free-running index of the newest doorbell
  } srq_live_t;

  localparam int unsigned CqLiveBits = 34;
  typedef struct packed {
    logic         pass;                // Bit 16 of the producer, for the owner bits of a ring of 2^16
    logic [15:0]  consumer;            // Newest consumer index of a doorbell
    logic         overflowed;          // Takes no more entries
    logic [15:0]  producer;            // Free-running index of the next entry
  } cq_live_t;

  localparam int unsigned TxDescBits = 300;
  typedef struct packed {
    logic [223:0] ext;                 // Extension headers, left-aligned
    logic [12:0]  payload_len;         // Bytes of payload, 0 to 4096
    logic [4:0]   ext_len;             // Bytes of extension headers, 0 to 28
    logic         ack_req;             // AckReq bit
    logic         solicited;           // SE bit
    logic [23:0]  psn;                 // Packet sequence number
    logic [7:0]   opcode;              // BTH opcode
    logic [23:0]  qpn;                 // Own queue pair; selects the address vector
  } tx_desc_t;

  localparam int unsigned RowWriteBits = 540;
  typedef struct packed {
    logic [3:0]   table_id;            // Table
    logic [23:0]  index;               // Its number
    logic [511:0] data;                // Row
  } row_write_t;

  localparam int unsigned BlockReadReqBits = 89;
  typedef struct packed {
    logic [4:0]   count;               // Blocks, 1 to 16, within a page of 4 KiB
    logic [19:0]  pasid;               // Address space
    logic [63:0]  addr;                // DMA address of the first block, a multiple of 64
  } block_read_req_t;

  localparam int unsigned BlockReadRspBits = 513;
  typedef struct packed {
    logic         error;               // The read failed
    logic [511:0] data;                // Block
  } block_read_rsp_t;

  localparam int unsigned BlockWriteReqBits = 603;
  typedef struct packed {
    logic [6:0]   bytes;               // Number of bytes, 1 to 64
    logic [19:0]  pasid;               // Address space
    logic [63:0]  addr;                // DMA address of the first byte
    logic [511:0] data;                // Bytes, the first one lowest
  } block_write_req_t;

  localparam int unsigned BlockWriteRspBits = 1;
  typedef struct packed {
    logic         error;               // The write failed
  } block_write_rsp_t;

  localparam int unsigned SentBits = 49;
  typedef struct packed {
    logic         error;               // Its ICRC is inverted: its payload could not be read
    logic [23:0]  psn;                 // Packet
    logic [23:0]  qpn;                 // Own queue pair
  } sent_t;

  localparam int unsigned FrameStatBits = 15;
  typedef struct packed {
    logic         ended;               // A frame ended
    logic [13:0]  bytes;               // Bytes of the frame, without FCS
  } frame_stat_t;

  localparam int unsigned SegBits = 100;
  typedef struct packed {
    logic         fetched;             // Payload reads only: the bytes came with a fetched work request
    logic         drop;                // Scatter only: skip these bytes, touch no memory
    logic         last;                // Last segment of the packet
    logic [12:0]  len;                 // Bytes, 1 to 4096, of a datagram with its GRH up to 4136
    logic [19:0]  pasid;               // Address space
    logic [63:0]  addr;                // DMA address of the first byte; fetched: its place in the kept blocks
  } seg_t;

  localparam int unsigned RxFrameBits = 695;
  typedef struct packed {
    logic [223:0] ext;                 // Extension headers, left-aligned
    logic [12:0]  payload_len;         // Bytes of payload without pad
    logic [7:0]   payload_offset;      // First payload byte, counted from the start of the frame
    logic         ack_req;             // AckReq bit
    logic         solicited;           // SE bit
    logic [23:0]  psn;                 // Packet sequence number
    logic [7:0]   opcode;              // BTH opcode
    logic [23:0]  qpn;                 // BTH DestQP
    logic [15:0]  pkey;                // Partition key
    logic [1:0]   ecn;                 // ECN bits
    logic [11:0]  vid;                 // VLAN identifier
    logic         vlan;                // Tagged
    logic         roce_v1;             // RoCE v1; the addresses are those of the GRH
    logic         ipv6;                // Over IPv6, or RoCE v1
    logic [95:0]  ip_head;             // First 12 bytes of the IP header or GRH, the first byte on top
    logic [127:0] src_ip;              // Source
    logic [127:0] dst_ip;              // Destination, an IPv4 address in the low 32 bits
    logic         bad;                 // RoCE, but to be dropped for `cause`
    logic [3:0]   cause;               // DropCause when `bad`
    logic         looped;              // Sent by this adapter to a multicast group
    logic         roce;                // RoCE; else everything below is undefined
  } rx_frame_t;

  localparam int unsigned RxMetaBits = 313;
  typedef struct packed {
    logic [223:0] ext;                 // Extension headers, left-aligned
    logic [15:0]  ticket;              // Packets with payload so far, this one included
    logic [12:0]  payload_len;         // Bytes of payload without pad, of a datagram with its GRH
    logic         ack_req;             // AckReq bit
    logic         solicited;           // SE bit
    logic [23:0]  psn;                 // Packet sequence number
    logic [7:0]   opcode;              // BTH opcode, with UC and UD that of the same operation of RC
    logic         ud;                  // A datagram: its payload begins with the 40 bytes of the GRH
    logic         uc;                  // The service is unreliable: UC or UD
    logic [23:0]  qpn;                 // Own queue pair
  } rx_meta_t;

  localparam int unsigned GrhBits = 362;
  typedef struct packed {
    logic         empty;               // There is no payload
    logic [7:0]   offset;              // First payload byte, counted from the start of the frame
    logic         ipv6;                // Over IPv6, or RoCE v1
    logic [95:0]  ip_head;             // First 12 bytes of the IP header or GRH, the first byte on top
    logic [127:0] src_ip;              // Source
    logic [127:0] dst_ip;              // Destination, an IPv4 address in the low 32 bits
  } grh_t;

  localparam int unsigned PayHdrBits = 68;
  typedef struct packed {
    logic         src;                 // 0 request, 1 response
    logic [5:0]   offset;              // Byte of the first beat where payload starts
    logic [12:0]  len;                 // Bytes, 1 to 4096, of a datagram with its GRH up to 4136
    logic [23:0]  qpn;                 // Own queue pair
    logic [23:0]  psn;                 // Packet
  } pay_hdr_t;

  localparam int unsigned ExtRethBits = 224;
  typedef struct packed {
    logic [63:0]  va;                  // Remote virtual address
    logic [31:0]  rkey;                // Remote key
    logic [31:0]  dma_length;          // Length of the whole message in bytes
    logic [31:0]  immediate;           // Immediate data of a WRITE ONLY
    logic [63:0]  rest;                // 0
  } ext_reth_t;

  localparam int unsigned ExtAethBits = 224;
  typedef struct packed {
    logic [2:0]   kind;                // Upper bits of the syndrome: AethAck, AethRnr, AethNak
    logic [4:0]   code;                // Lower bits of the syndrome: credits, timer code or NAK code
    logic [23:0]  msn;                 // Message sequence number
    logic [63:0]  original;            // Atomic response: content of memory before the operation
    logic [127:0] rest;                // 0
  } ext_aeth_t;

  localparam int unsigned ExtImmDtBits = 224;
  typedef struct packed {
    logic [31:0]  immediate;           // Immediate data, or the key to invalidate
    logic [191:0] rest;                // 0
  } ext_imm_dt_t;

  localparam int unsigned ExtDethBits = 224;
  typedef struct packed {
    logic [31:0]  qkey;                // Queue key
    logic [7:0]   reserved;            // 0
    logic [23:0]  src_qp;              // Queue pair of the sender
    logic [31:0]  immediate;           // Immediate data
    logic [87:0]  rest;                // 0
    logic [15:0]  ah;                  // To send: address handle; not sent
    logic [23:0]  dest_qpn;            // To send: queue pair of the destination; not sent as part of `ext`
  } ext_deth_t;

  localparam int unsigned ExtDatagramBits = 224;
  typedef struct packed {
    logic [31:0]  immediate;           // Immediate data
    logic [7:0]   reserved;            // Not used
    logic [23:0]  src_qp;              // Queue pair of the sender
    logic [159:0] rest;                // Not used
  } ext_datagram_t;

  localparam int unsigned PlanBits = 554;
  typedef struct packed {
    logic [31:0]  sge0_lkey;           // From the WQE
    logic [31:0]  sge0_length;         // From the WQE
    logic [63:0]  sge0_addr;           // From the WQE
    logic [7:0]   num_sge;             // From the WQE
    logic [63:0]  compare;             // From the WQE
    logic [63:0]  swap_add;            // From the WQE
    logic [31:0]  imm;                 // From the WQE
    logic [31:0]  rkey;                // From the WQE
    logic [63:0]  remote_addr;         // From the WQE
    logic [31:0]  msg_len;             // Bytes of the message
    logic [31:0]  len;                 // Payload bytes of this packet; for READ, bytes still to read
    logic [31:0]  offset;              // Bytes of the message before this packet
    logic [7:0]   status;              // Status; not Success: this packet must not be sent
    logic         has_segs;            // Segments of payload wait in the segment stream
    logic         fence;               // From the WQE
    logic         solicited;           // From the WQE
    logic         signaled;            // From the WQE
    logic         last;                // Last packet of the message
    logic         first;               // First packet of the message
    logic [7:0]   opcode;              // WrOp
    logic [15:0]  wqe_index;           // Free-running index of the work request
    logic [3:0]   epoch;               // Generation of the fetch; plans of a former one are dropped
    logic [23:0]  qpn;                 // Queue pair
  } plan_t;

  localparam int unsigned GrantBits = 82;
  typedef struct packed {
    logic [31:0]  offset;              // Bytes of the first one to skip
    logic [5:0]   count;               // Work requests, 1 to 32, contiguous in the ring
    logic [15:0]  wqe_index;           // First work request
    logic [3:0]   epoch;               // Generation of the fetch
    logic [23:0]  qpn;                 // Queue pair
  } grant_t;

  localparam int unsigned SegmentJobBits = 104;
  typedef struct packed {
    logic [1:0]   stride_log;          // log2 of blocks in an entry
    logic [2:0]   pmtu;                // Path MTU code
    logic [15:0]  pd;                  // Protection domain
    logic [31:0]  offset;              // Bytes of the first one to skip
    logic [5:0]   count;               // Work requests, the kept one included
    logic         kept;                // The first one was kept and is not fetched
    logic [15:0]  wqe_index;           // First work request
    logic [3:0]   epoch;               // From the grant
    logic [23:0]  qpn;                 // Queue pair
  } segment_job_t;

  localparam int unsigned FetchPtrBits = 79;
  typedef struct packed {
    logic [1:0]   less;                // The next grant has 32 work requests at most, or half as many so many times
    logic         ready;               // The queue pair may be granted
    logic [31:0]  offset;              // Bytes of it to skip
    logic [15:0]  wqe_index;           // Next work request
    logic [3:0]   epoch;               // Generation of the fetch
    logic [23:0]  qpn;                 // Queue pair
  } fetch_ptr_t;

  localparam int unsigned SqControlBits = 43;
  typedef struct packed {
    logic [15:0]  index;               // Producer index
    logic         clear;               // The queue pair was in RESET since the last record: indices are at 0
    logic         resume;              // With flush 0: RTS after SQE, indices and PSNs go on
    logic         flush;               // 1: complete all up to `index` with a flush, 0: begin a generation
    logic [23:0]  qpn;                 // Queue pair
  } sq_control_t;

  localparam int unsigned PostWordBits = 61;
  typedef struct packed {
    logic [31:0]  data;                // Its bytes
    logic [4:0]   place;               // Word of the work request
    logic [23:0]  qpn;                 // Queue pair
  } post_word_t;

  localparam int unsigned DoorbellBits = 40;
  typedef struct packed {
    logic [15:0]  index;               // Free-running producer index
    logic [23:0]  qpn;                 // Queue pair
  } doorbell_t;

  localparam int unsigned KeyReqBits = 172;
  typedef struct packed {
    logic [23:0]  qpn;                 // Queue pair, when a remote right is requested
    logic [3:0]   access;              // Rights that are all required
    logic [15:0]  pd;                  // Protection domain that must own the region
    logic [31:0]  len;                 // Bytes, not 0
    logic [63:0]  va;                  // First address
    logic [31:0]  key;                 // Key
  } key_req_t;

  localparam int unsigned KeyRspBits = 85;
  typedef struct packed {
    logic [19:0]  pasid;               // Address space
    logic [63:0]  addr;                // DMA address of the first byte
    logic         ok;                  // Access is allowed
  } key_rsp_t;

  localparam int unsigned KeyOpReqBits = 304;
  typedef struct packed {
    logic [63:0]  addr;                // Register: first address as DMA sees it
    logic [5:0]   access;              // Bind, Register: bits as Access
    logic [63:0]  length;              // Bind, Register: bytes; 0 unbinds
    logic [63:0]  va;                  // Bind, Register: first address
    logic [31:0]  region;              // Bind: local key of the region
    logic [15:0]  pd;                  // Its protection domain
    logic [23:0]  qpn;                 // Queue pair of the work request or SEND
    logic [31:0]  key;                 // Row and variant: for Invalidate the present variant, else the new one
    logic [1:0]   op;                  // KeyOp
  } key_op_req_t;

  localparam int unsigned KeyOpRspBits = 1;
  typedef struct packed {
    logic         ok;                  // Done; 0: nothing changed
  } key_op_rsp_t;

  localparam int unsigned CqeReqBits = 198;
  typedef struct packed {
    logic [7:0]   store_ticket;        // Atomic-unit stores that must be in memory
    logic         wait_store;          // Wait for `store_ticket`
    logic [15:0]  ticket;              // Payload packets that must be in memory
    logic         wait_data;           // Wait for `ticket`
    logic [7:0]   vendor_err;          // Cause
    logic [23:0]  src_qp;              // Queue pair of the sender of a datagram
    logic         with_grh;            // The buffer begins with a GRH, and src_qp is valid
    logic         solicited;           // Raises a solicited event
    logic         with_inv;            // imm is the key invalidated
    logic         with_imm;            // imm is valid
    logic [31:0]  imm;                 // Immediate
    logic [31:0]  byte_len;            // Bytes
    logic [7:0]   opcode;              // WcOp
    logic [7:0]   status;              // Status
    logic [15:0]  wqe_index;           // Work request
    logic [23:0]  qpn;                 // Queue pair
    logic [15:0]  cqn;                 // Completion queue
  } cqe_req_t;

  localparam int unsigned EventReqBits = 32;
  typedef struct packed {
    logic [23:0]  number;              // Queue pair, completion queue or SRQ
    logic [7:0]   kind;                // Event
  } event_req_t;

  localparam int unsigned FaultBits = 49;
  typedef struct packed {
    logic         response;            // 1: a response to a request of this side; 0: a request, or the response to it
    logic [23:0]  psn;                 // Packet
    logic [23:0]  qpn;                 // Own queue pair
  } fault_t;

  localparam int unsigned AtomicJobBits = 258;
  typedef struct packed {
    logic [15:0]  ticket;              // Payload packets that must be in memory first
    logic [63:0]  compare;             // Value to compare
    logic [63:0]  operand;             // Value to store, swap or add
    logic [19:0]  pasid;               // Address space
    logic [63:0]  addr;                // DMA address, a multiple of 8 except for a store
    logic [3:0]   slot;                // Replay slot, returned with the result
    logic [1:0]   op;                  // AtomicOp
    logic [23:0]  qpn;                 // Queue pair
  } atomic_job_t;

  localparam int unsigned AtomicDoneBits = 93;
  typedef struct packed {
    logic         error;               // Memory could not be read, or not be written
    logic [63:0]  original;            // Content before the operation
    logic [3:0]   slot;                // Replay slot
    logic [23:0]  qpn;                 // Queue pair
  } atomic_done_t;

  localparam int unsigned SchedQpBits = 94;
  typedef struct packed {
    logic [1:0]   less;                // The next grant has 32 work requests at most, or half as many so many times
    logic         fresh;               // The requester has not begun this generation, its index does not count
    logic         clear;               // It was in RESET since the last control record
    logic         queued;              // It stands in the ready queue
    logic         ready;               // The requester accepts plans of it
    logic         granted;             // A grant is outstanding
    logic [2:0]   state;               // QpState
    logic [3:0]   epoch;               // Generation of the fetch
    logic [31:0]  offset;              // Bytes of the next one to skip
    logic [15:0]  begun;               // First work request never segmented
    logic [15:0]  fetched;             // Next work request to fetch
    logic [15:0]  produced;            // Producer index of the last good doorbell
  } sched_qp_t;

  localparam int unsigned RequesterQpBits = 281;
  typedef struct packed {
    logic [31:0]  resume_offset;       // Bytes of it to skip
    logic [15:0]  resume_index;        // Work request to resume with
    logic [23:0]  limit;               // SSN of the last message it has a receive for
    logic         limited;             // The peer counts credits
    logic         unstopped;           // The timer was left running with nothing in flight
    logic         owe_store;           // Unsignaled atomic likewise
    logic         owe_data;            // Unsignaled READ since the last completion
    logic         naked;               // Returned for a sequence NAK, no progress since
    logic         implied;             // Returned for a skipped READ, no progress since
    logic         restart;             // The READ at the head was requested anew from `una`
    logic [23:0]  bad_psn;             // First such packet since the last return to an earlier PSN
    logic         bad;                 // Payload of `bad_psn` could not be read: its message ends in an error
    logic         failed;              // Until the next generation
    logic         stopped;             // An error entry ends the ring: no more plans
    logic         rnr_wait;            // Waits for the RNR timer
    logic         credit_wait;         // Blocked until credits come, or nothing is in flight
    logic         drain_wait;          // Blocked until nothing is in flight
    logic         fence_wait;          // Blocked until no READ or atomic is in flight
    logic         blocked;             // Waits for room; resumes at `resume_*`
    logic [2:0]   rnr_left;            // RNR retries left
    logic [2:0]   retry_left;          // Retries left
    logic [3:0]   epoch;               // Generation of the fetch
    logic [4:0]   rd_count;            // READs and atomics in flight
    logic [3:0]   rd_head;             // Slot of the oldest READ or atomic in flight
    logic [7:0]   count_max;           // Ring: messages up to `psn_max`
    logic [7:0]   count;               // Ring: messages in flight
    logic [6:0]   head;                // Ring: oldest message in flight
    logic [23:0]  messages;            // Messages completed: SSN of the oldest in flight, less one
    logic [15:0]  begun;               // First work request never seen
    logic [15:0]  done;                // Oldest work request not completed
    logic [23:0]  psn_max;             // After the newest PSN ever sent: `psn_next`, or beyond it during a retransmission
    logic [23:0]  una;                 // Oldest PSN not acknowledged
    logic [23:0]  psn_next;            // Next PSN to send
  } requester_qp_t;

  localparam int unsigned RequesterEntryBits = 102;
  typedef struct packed {
    logic [7:0]   vendor;              // Error: VendorErr
    logic [7:0]   status;              // Error: Status
    logic [31:0]  msg_len;             // Bytes
    logic         signaled;            // From the WQE
    logic [2:0]   opcode;              // WrOp
    logic [1:0]   kind;                // MessageKind
    logic [23:0]  last;                // Last PSN
    logic [23:0]  first;               // First PSN
  } requester_entry_t;

  localparam int unsigned RequesterRunBits = 59;
  typedef struct packed {
    logic         begins;              // First or only response of a READ, by its opcode
    logic [4:0]   flushed;             // Work requests flushed
    logic [7:0]   vendor;              // For the completion, should the work request fail
    logic [7:0]   status;              // For the completion, should the work request fail
    logic         compared;            // What the step depends on was compared a clock before
    logic         arrived;             // The response is to be counted
    logic         credit;              // The credits of the response count
    logic         in_window;           // The PSN of the event is in flight
    logic         live;                // The queue pair is alive and has not failed
    logic         late;                // A fatal NAK of a packet sent before the last return to an earlier PSN
    logic         rnr;                 // The return to an earlier PSN is for an RNR NAK
    logic         counted;             // The return to an earlier PSN costs a retry
    logic         placed;              // The memory for the payload is known
    logic         progress;            // Something was acknowledged
    logic [23:0]  upto;                // PSNs before this one are acknowledged
    logic [2:0]   ask;                 // What to do for the response: ResponseAsk
  } requester_run_t;

  localparam int unsigned RequesterLookBits = 63;
  typedef struct packed {
    logic         plain;               // It is one that others may follow, if it is sent
    logic         roomy;               // The window has room for those that may follow it, too
    logic         window;              // It waits for the window
    logic         full;                // It waits for one of these two, or for the depth of READs
    logic         drain;               // It waits for all that is before a local operation
    logic         fence;               // It waits for READs before a fence
    logic         ring;                // It waits for room in the ring
    logic         alone;               // Its message is the only one in the ring
    logic         not_there;           // UC and UD have no such operation
    logic         bad;                 // It cannot be sent
    logic         fresh;               // Its work request was never seen
    logic         old;                 // The plan is of before a recovery or an error
    logic         over;                // Its message is beyond the credits of the peer
    logic         all;                 // All that were ever sent are, or are acknowledged
    logic         some;                // Packets are in flight
    logic [23:0]  ahead;               // Packets sent before a return to an earlier PSN, not retransmitted yet
    logic [23:0]  flight;              // Packets in flight
  } requester_look_t;

  localparam int unsigned RequesterStepBits = 49;
  typedef struct packed {
    logic         ghost;               // Response is ignored
    logic         again;               // Continue the flush later
    logic         job;                 // Store the result of an atomic
    logic [4:0]   timer_code;          // Its code
    logic [1:0]   timer_op;            // TimerOp
    logic         timer;               // Command to the timer
    logic         data;                // Count the payload of the response too
    logic [2:0]   counter;             // QpCounter
    logic         count;               // Count
    logic         ptr_go;              // It may grant
    logic         ptr;                 // Give the scheduler the pointer at which to resume
    logic         kill;                // Drop the waiting packets
    logic         verdict;             // The plan had segments
    logic         desc;                // Packet
    logic         fail;                // Queue pair fails
    logic [7:0]   cqe_vendor;          // Its vendor_err
    logic [7:0]   cqe_status;          // Its status
    logic         cqe;                 // Completion
    logic         slot;                // Write a slot
    logic         enter_last;          // The entry replaces the newest
    logic         enter;               // Write an entry of the ring
    logic         next_entry;          // Read the ring's next entry
    logic         retire;              // The oldest message leaves the ring
    logic         finish;              // The event ends
    logic [3:0]   state;               // Next step: RequesterState
  } requester_step_t;

  localparam int unsigned ResponderQpBits = 589;
  typedef struct packed {
    logic [15:0]  recv_next;           // Free-running index of the next receive to use
    logic [15:0]  last_desc;           // Number of the newest packet in tx's payload queue
    logic [4:0]   atomics;             // Jobs in the atomic unit
    logic [4:0]   slot_count;          // Slots in use
    logic [3:0]   slot_next;           // Slot the next READ or atomic takes
    logic [15:0]  replayed;            // Those of them whose response was sent before
    logic [15:0]  pending;             // Replay slots whose response is to be sent
    logic [31:0]  next_ticket;         // As ack_ticket
    logic [23:0]  next_msn;            // Its MSN
    logic [23:0]  next_psn;            // Its PSN
    logic         next;                // An ACK follows that one
    logic [31:0]  ack_ticket;          // Payload packets that must be in memory before it
    logic [7:0]   ack_syndrome;        // Its syndrome
    logic [23:0]  ack_msn;             // Its MSN
    logic [23:0]  ack_psn;             // Its PSN
    logic [1:0]   ack;                 // Acknowledge to send next: ResponderAck
    logic         last_wqe;            // With an SRQ: QpLastWqe was raised
    logic         flush;               // Posted receives are to be flushed
    logic         established;         // CommEst was considered
    logic         dead;                // Accepts no more requests
    logic         uc;                  // Unreliable connection, since the first packet: no response leaves
    logic         nak_sent;            // The gap was NAKed; drop requests after it
    logic [15:0]  recv_index;          // SEND: receive that it fills
    logic [31:0]  bytes;               // Bytes of the message so far
    logic [63:0]  write_va;            // WRITE: remote address of the next byte
    logic [31:0]  write_rkey;          // WRITE: its key
    logic [31:0]  write_left;          // WRITE: bytes still to come
    logic [19:0]  write_pasid;         // WRITE: address space
    logic [63:0]  write_addr;          // WRITE: DMA address of the next byte
    logic [1:0]   message;             // Message in flight: ResponderIn
    logic [23:0]  last_psn;            // Newest SEND or WRITE packet executed
    logic [23:0]  msn;                 // Messages completed
    logic [23:0]  epsn;                // PSN expected
  } responder_qp_t;

  localparam int unsigned ResponderSlotBits = 478;
  typedef struct packed {
    logic [31:0]  key_age;             // READ: changes of the key table before its key was looked up
    logic [63:0]  original;            // Atomic: content of memory before it
    logic [31:0]  left;                // READ: bytes not in a response yet; atomic: upper half of the compare operand
    logic [31:0]  length;              // READ: bytes of the whole; atomic: lower half of the compare operand
    logic [63:0]  addr_operand;        // READ: DMA address of the next byte; atomic: swap or add operand
    logic [19:0]  pasid;               // READ: address space
    logic [23:0]  next_psn;            // PSN of the next response packet
    logic         done;                // Atomic: the result is known
    logic         first;               // READ: the next packet is the first of the response
    logic [31:0]  ticket;              // Payload packets that must be in memory before a READ
    logic [23:0]  msn;                 // MSN of its response
    logic [31:0]  rkey;                // Its key
    logic [63:0]  va;                  // Remote address of the request
    logic [7:0]   opcode;              // Request
    logic [23:0]  last_psn;            // Last PSN of the response
    logic [23:0]  psn;                 // First PSN
  } responder_slot_t;

  localparam int unsigned ReceiveRingBits = 71;
  typedef struct packed {
    logic         fired;               // SRQ: the limit event was raised
    logic         flush;               // Queue pair in ERR: report what is posted
    logic         active;              // Receives are fetched
    logic [3:0]   epoch;               // Generation of the fetches
    logic [15:0]  got;                 // Index whose fetch ends next
    logic [15:0]  next;                // Index to be fetched next
    logic [15:0]  cons;                // Index of the oldest
    logic [15:0]  prod;                // Index to be posted next
  } receive_ring_t;

  localparam int unsigned ReceiveCmdBits = 26;
  typedef struct packed {
    logic [1:0]   op;                  // ReceiveOp
    logic [23:0]  qpn;                 // Queue pair
  } receive_cmd_t;

  localparam int unsigned ReceiveRspBits = 18;
  typedef struct packed {
    logic [15:0]  index;               // Its free-running index
    logic         fetched;             // Its list has been fetched
    logic         posted;              // A receive is posted
  } receive_rsp_t;

  localparam int unsigned TimerCmdBits = 31;
  typedef struct packed {
    logic [4:0]   code;                // Timeout code, or RNR timer code when Rnr
    logic [1:0]   op;                  // TimerOp
    logic [23:0]  qpn;                 // Queue pair
  } timer_cmd_t;

  localparam int unsigned TimerEventBits = 25;
  typedef struct packed {
    logic         rnr;                 // It was an RNR wait
    logic [23:0]  qpn;                 // Queue pair
  } timer_event_t;

  localparam int unsigned CqDoorbellBits = 34;
  typedef struct packed {
    logic [15:0]  cqn;                 // Completion queue
    logic         arm;                 // Arm; else a consumer index
    logic         solicited;           // Arm: an event for solicited entries and errors only
    logic [15:0]  index;               // Consumer index; of an arm: the entry after the newest one seen
  } cq_doorbell_t;

  localparam int unsigned CqRingBits = 68;
  typedef struct packed {
    logic         pass;                // Parity of the producer's pass through a ring of 2^16 entries
    logic [15:0]  producer;            // Producer index
    logic [15:0]  consumer;            // Consumer index
    logic [1:0]   armed;               // CqArmed
    logic         broken;              // An entry was lost
    logic [15:0]  since;               // Entries after the last one that satisfies a solicited arm, up to the limit
    logic [15:0]  waiting;             // Entries held back by moderation
  } cq_ring_t;

  localparam int unsigned QpEventBits = 26;
  typedef struct packed {
    logic [1:0]   kind;                // QpEvent
    logic [23:0]  qpn;                 // Queue pair
  } qp_event_t;

  localparam int unsigned CountBits = 40;
  typedef struct packed {
    logic [12:0]  bytes;               // Payload bytes
    logic [2:0]   counter;             // QpCounter; for TxPackets and RxPackets, `bytes` go to the next one
    logic [23:0]  qpn;                 // Queue pair
  } count_t;

  typedef struct packed {
    logic [7:0]   log_cqs;             // log2 NumCqs
    logic [7:0]   log_keys;            // log2 NumKeys
    logic [7:0]   log_qps;             // log2 NumQps
    logic [7:0]   beat_bytes;          // DataWidth / 8
  } parameters_reg_t;

  typedef struct packed {
    logic [7:0]   unused;              // 0
    logic [7:0]   log_ahs;             // log2 of address handles, with UD
    logic [5:0]   absent;              // Bits by Option: what the engine does not have
    logic         ud;                  // The engine has UD
    logic         uc;                  // The engine has UC
    logic [7:0]   log_srqs;            // log2 NumSrqs
  } parameters2_reg_t;

  typedef struct packed {
    logic [23:0]  unused;              // 0
    logic [7:0]   log_attachments;     // log2 of attachments to multicast groups; 0: no multicast
  } parameters3_reg_t;

  typedef struct packed {
    logic [29:0]  unused;              // 0
    logic         neighbours;          // ARP and neighbour discovery go to firmware
    logic         enable;              // RoCE packets are taken
  } control_reg_t;

  typedef struct packed {
    logic [19:0]  pasid;               // Address space of both rings
    logic [7:0]   reserved0;           // 0
    logic [3:0]   log;                 // log2 of entries of both rings
  } admin_size_reg_t;

  typedef struct packed {
    logic [15:0]  unused;              // 0
    logic [15:0]  index;               // Free-running producer index
  } admin_doorbell_reg_t;

  typedef struct packed {
    logic [15:0]  unused;              // 0
    logic [15:0]  count;               // Free-running count
  } admin_done_reg_t;

  typedef struct packed {
    logic [19:0]  pasid;               // Address space of the ring
    logic [6:0]   reserved0;           // 0
    logic         enable;              // Events are written; a rise restarts the ring
    logic [3:0]   log;                 // log2 of entries
  } eq_size_reg_t;

  typedef struct packed {
    logic [15:0]  unused;              // 0
    logic [15:0]  index;               // Free-running consumer index
  } eq_consumer_reg_t;

  typedef struct packed {
    logic [30:0]  unused;              // 0
    logic         overflow;            // The event queue was full; a Completion is raised later, other events are lost
  } eq_status_reg_t;

  typedef struct packed {
    logic [28:0]  unused;              // 0
    logic         engine_event;        // An engine event waits
    logic         frame;               // A frame was received
    logic         admin;               // AdminDoorbell differs from AdminDone
  } attention_reg_t;

  typedef struct packed {
    logic         go;                  // Start; reads 1 while busy
    logic         write;               // Write the row; else read it
    logic [1:0]   reserved0;           // 0
    logic [3:0]   table_id;            // Table
    logic [23:0]  row;                 // Number of the row
  } table_command_reg_t;

  typedef struct packed {
    logic [30:0]  unused;              // 0
    logic         go;                  // Start; reads 1 until all work that began before has left the engine
  } fence_command_reg_t;

  typedef struct packed {
    logic         valid;               // There was an event
    logic [6:0]   kind;                // Event
    logic [23:0]  number;              // Queue pair, completion queue or SRQ
  } engine_event_reg_t;

  typedef struct packed {
    logic [7:0]   kind;                // Event
    logic [23:0]  number;              // Queue pair, completion queue or SRQ
  } event_post_reg_t;

  typedef struct packed {
    logic         go;                  // Start; reads 1 while busy
    logic         write;               // Write; else read 64 bytes
    logic         error;               // Reads 1: the access failed
    logic [1:0]   reserved0;           // 0
    logic [6:0]   bytes;               // Bytes of a write; 0: 64
    logic [19:0]  pasid;               // Address space
  } dma_command_reg_t;

  typedef struct packed {
    logic         busy;                // Reads 1: the frame is being sent
    logic [19:0]  reserved0;           // 0
    logic [10:0]  bytes;               // Bytes of the frame
  } tx_frame_command_reg_t;

  typedef struct packed {
    logic         valid;               // A frame was received
    logic [19:0]  reserved0;           // 0
    logic [10:0]  bytes;               // Bytes of the frame
  } rx_frame_status_reg_t;

  typedef struct packed {
    logic [15:0]  unused;              // 0
    logic [15:0]  high;                // High bits of the address
  } mac_hi_reg_t;

  typedef struct packed {
    logic [26:0]  unused;              // 0
    logic [4:0]   counter;             // PortCounter; those from 16 on with UC or UD only
  } counter_select_reg_t;

  typedef struct packed {
    logic         solicited;           // Only a solicited or failed completion raises an event
    logic [14:0]  reserved0;           // 0
    logic [15:0]  index;               // Index after the newest entry seen
  } cq_arm_reg_t;

endpackage
