package main

// Message is the payload of a queue row, as the Go services declare it.
type Message struct {
	ID              string  `json:"id"`
	PoolCode        string  `json:"poolCode,omitempty"`
	AuthToken       *string `json:"authToken,omitempty"`
	SigningSecret   *string `json:"signingSecret,omitempty"`
	MediationType   string  `json:"mediationType"`
	MediationTarget string  `json:"mediationTarget"`
	MessageGroupID  *string `json:"messageGroupId,omitempty"`
	HighPriority    bool    `json:"highPriority,omitempty"`
	DispatchMode    string  `json:"dispatchMode,omitempty"`
}

// Fields is a Message with nothing left out.
type Fields struct {
	ID              string  `json:"id"`
	PoolCode        string  `json:"poolCode"`
	AuthToken       *string `json:"authToken"`
	SigningSecret   *string `json:"signingSecret"`
	MediationType   string  `json:"mediationType"`
	MediationTarget string  `json:"mediationTarget"`
	MessageGroupID  *string `json:"messageGroupId"`
	HighPriority    bool    `json:"highPriority"`
	DispatchMode    string  `json:"dispatchMode"`
}
